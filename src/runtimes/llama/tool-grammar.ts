import { ServiceError } from '../../core/error.ts'
import type { ToolChoice, ToolDefinition } from '../../core/text-generation.ts'
import { Grammar, literal } from './gbnf.ts'
import { defineJson } from './json-rules.ts'
import type { OutputConstraint } from './output-constraint.ts'
import { SchemaGrammar } from './schema-grammar.ts'
import type { SchemaRule } from './schema-rule.ts'
import type { ToolFormat } from './tool-format.ts'

const mostParallelCalls = 16

export interface ToolRules {
  readonly tools: readonly ToolDefinition[]
  readonly choice: ToolChoice
  readonly parallel: boolean
  readonly format: ToolFormat
}

/**
 * Constrains tool calls to the tools' names and parameter schemas.
 *
 * @param written What stands already after the trigger; null = nothing yet, not even the trigger.
 * @returns null when what is written cannot become a call.
 * @throws {ServiceError} `invalid_request_error` when the choice names no tool.
 */
export function constrainToolCalls({ tools, choice, parallel, format }: ToolRules, written: string | null): OutputConstraint | null {
  const opening = written === null ? format.trigger + format.before : format.before
  if (!opening.startsWith(written ?? '')) return null
  const grammar = new Grammar()
  defineJson(grammar)
  let closingLength = 0
  const calls = chosen(tools, choice).map((tool) => {
    const { rule, closingLength: length } = argumentsRule(grammar, tool)
    closingLength = Math.max(closingLength, length + tool.name.length + format.before.length + format.between.length + format.after.length)
    return `${literal(JSON.stringify(tool.name).slice(1, -1) + format.between)} ${rule}`
  })
  const call = grammar.name(calls.join(' | '))
  const more = parallel ? `(${literal(format.after + format.next)} ${call}){0,${mostParallelCalls - 1}}` : ''
  const rest = opening.slice(written?.length ?? 0)
  grammar.define('root', `${rest === '' ? '' : literal(rest)} ${call} ${more} ${literal(format.after + format.end)}`)
  return { grammar: grammar.toString(), closingLength }
}

function chosen(tools: readonly ToolDefinition[], choice: ToolChoice): readonly ToolDefinition[] {
  if (typeof choice === 'string') return tools
  const named = tools.filter((tool) => tool.name === choice.name)
  if (named.length > 0) return named
  throw new ServiceError('invalid_request_error', `tool_choice names "${choice.name}", which is not among the tools.`, {
    param: 'tool_choice',
  })
}

/** A schema that we cannot follow still leaves the model free to: only a response format promises validity. */
function argumentsRule(grammar: Grammar, tool: ToolDefinition): SchemaRule {
  try {
    return new SchemaGrammar(grammar, { type: 'object', ...tool.parameters }).compile()
  } catch (error) {
    if (error instanceof ServiceError) return { rule: 'object', closingLength: 8 }
    throw error
  }
}
