import { ServiceError } from '../../../core/error.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { ToolChoice, ToolDefinition } from '../../../core/text-generation.ts'
import { callHead, type ToolFormat } from '../prompt/tool-format.ts'
import { Grammar, literal } from './gbnf.ts'
import { defineJson } from './json-rules.ts'
import { fieldOf, formatRule, type OutputConstraint, type RuledFormat } from './output-constraint.ts'
import { parameterRules } from './parameter-rules.ts'
import { Leeway } from './schema/leeway.ts'
import { SchemaGrammar } from './schema/schema-grammar.ts'

const maxParallelCalls = 16

export interface ToolRules {
  readonly tools: readonly ToolDefinition[]
  readonly choice: ToolChoice
  readonly parallel: boolean
  readonly format: ToolFormat
}

/**
 * Constrains tool calls to the tools' names and parameter schemas. Nothing pulls them to an end: arguments that ran out of tokens must
 * not look whole.
 *
 * @param written The text so far, from the mark on; null = nothing yet.
 * @returns null if the text so far cannot become a call, or only in another spelling.
 * @throws {ServiceError} `invalid_request_error` when the choice names no tool.
 */
export function constrainToolCalls(rules: ToolRules, written: string | null): OutputConstraint | null {
  const grammar = new Grammar()
  defineJson(grammar)
  const calls = callsRule(grammar, rules, written ?? '')
  if (calls === null) return null
  grammar.define('root', calls.rule)
  return { grammar: grammar.toString(), param: 'tools', endsInTime: false, loosened: calls.loosened }
}

/**
 * Constrains an answer to tool calls or, when the model makes none, to a response format.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the part of the format's schema that cannot be honoured.
 */
export function constrainCallsOrAnswer(rules: ToolRules, format: RuledFormat): OutputConstraint {
  const grammar = new Grammar()
  defineJson(grammar)
  const { rule: answer, loosened } = formatRule(grammar, format)
  const calls = callsRule(grammar, rules, '')
  grammar.define('root', calls === null ? answer : `${answer} | ${calls.rule}`)
  return { grammar: grammar.toString(), param: fieldOf(format), endsInTime: false, loosened: [...loosened, ...(calls?.loosened ?? [])] }
}

interface CallsRule {
  readonly rule: string
  /** Loosened parts of the tools' schemas. */
  readonly loosened: readonly string[]
}

/** The rule for all calls of an answer, without the text so far; null = that text cannot become a call. */
function callsRule(grammar: Grammar, { tools, choice, parallel, format }: ToolRules, written: string): CallsRule | null {
  const opening = format.mark + format.before
  const { parameters } = format
  const ruleOf =
    parameters === undefined
      ? (tool: ToolDefinition, leeway: Leeway) => new SchemaGrammar(grammar, tool.parameters, leeway).compileObject()
      : parameterRules(grammar, format, parameters)
  const calls = chosen(tools, choice).map((tool) => {
    const leeway = new Leeway('tool', `the tool "${shortName(tool.name)}"`)
    return { head: callHead(format, tool.name), rule: ruleOf(tool, leeway), loosened: leeway.loosened }
  })
  const loosened = calls.flatMap((call) => call.loosened)
  const begun = calls.filter(({ head }) => (opening + head).startsWith(written))
  if (begun.length === 0) return null
  const first = begun.map(({ head, rule }) => write((opening + head).slice(written.length), rule)).join(' | ')
  const end = literal(format.after + format.end)
  if (!parallel || format.next === null) return { rule: `(${first}) ${end}`, loosened }
  const between = betweenCalls(format, format.next)
  const next = calls.map(({ head, rule }) => `${between} ${write(head, rule)}`).join(' | ')
  return { rule: `(${first}) (${next}){0,${maxParallelCalls - 1}} ${end}`, loosened }
}

/** From a call's arguments to the name of the next; of models that write elements, some put each on a line of its own. */
function betweenCalls({ after, parameters }: ToolFormat, next: string): string {
  return parameters === undefined ? literal(after + next) : `${literal(after)} "\\n"? ${literal(next.trimStart())}`
}

function write(text: string, rule: string): string {
  return text === '' ? rule : `${literal(text)} ${rule}`
}

function chosen(tools: readonly ToolDefinition[], choice: ToolChoice): readonly ToolDefinition[] {
  if (typeof choice === 'string') return tools
  const named = tools.filter((tool) => tool.name === choice.name)
  if (named.length > 0) return named
  throw new ServiceError('invalid_request_error', `tool_choice names "${shortName(choice.name)}", which is not among the tools.`, {
    param: 'tool_choice',
  })
}
