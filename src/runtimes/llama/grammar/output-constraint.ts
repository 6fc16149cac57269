import type { ResponseFormat } from '../../../core/text-generation.ts'
import { Grammar } from './gbnf.ts'
import { defineJson } from './json-rules.ts'
import { SchemaGrammar } from './schema-grammar.ts'
import type { SchemaRule } from './schema-rule.ts'

/** What an answer must look like, from its first character to its last. */
export interface OutputConstraint {
  /** GBNF with a `root` rule. */
  readonly grammar: string
  /** The request's field that asked for it. */
  readonly param: string
  /** About how many characters end it once it must end, nesting apart; null = it is cut where its tokens run out. */
  readonly closingLength: number | null
  /** The same once a member of the outermost object has begun; absent = no fixed members. */
  readonly closingAfter?: ReadonlyMap<string, number>
}

/**
 * The grammar of a response format; null when any text will do.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the part of a schema that cannot be honoured.
 */
export function constrainOutput(format: ResponseFormat): OutputConstraint | null {
  if (format.type === 'text') return null
  const grammar = new Grammar()
  defineJson(grammar)
  const { rule, ...closing } = formatRule(grammar, format)
  grammar.define('root', rule)
  return { grammar: grammar.toString(), param: 'response_format', ...closing }
}

/** A rule for answers in a format, in a grammar that knows JSON. */
export function formatRule(grammar: Grammar, format: Exclude<ResponseFormat, { type: 'text' }>): SchemaRule {
  return format.type === 'json_schema' ? new SchemaGrammar(grammar, format.schema).compile() : { rule: 'object', closingLength: 8 }
}
