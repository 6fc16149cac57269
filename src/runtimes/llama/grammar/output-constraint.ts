import { ServiceError } from '../../../core/error.ts'
import type { ResponseFormat } from '../../../core/text-generation.ts'
import { GrammarFault } from '../automaton/grammar-fault.ts'
import { Grammar, literal } from './gbnf.ts'
import { defineJson } from './json-rules.ts'
import { regexRule } from './regex/regex-grammar.ts'
import { SchemaGrammar } from './schema/schema-grammar.ts'
import type { SchemaRule } from './schema/schema-rule.ts'

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
 * @throws {ServiceError} `unsupported_parameter` naming what cannot be honoured and the field that asked for it.
 */
export function constrainOutput(format: ResponseFormat): OutputConstraint | null {
  if (format.type === 'text') return null
  const param = fieldOf(format)
  if (format.type === 'grammar') return { grammar: format.grammar, param, closingLength: null }
  const grammar = new Grammar()
  defineJson(grammar)
  const { rule, ...closing } = formatRule(grammar, format)
  grammar.define('root', rule)
  return { grammar: grammar.toString(), param, ...closing }
}

/** A format whose rules can stand beside others. */
export type RuledFormat = Exclude<ResponseFormat, { type: 'text' | 'grammar' }>

/**
 * A rule for answers in a format, in a grammar that knows JSON.
 *
 * @throws {ServiceError} as `constrainOutput` does.
 */
export function formatRule(grammar: Grammar, format: RuledFormat): OutputRule {
  const cut = { closingLength: null }
  if (format.type === 'json_object') return { rule: 'object', closingLength: 8 }
  if (format.type === 'choice') return { rule: grammar.name(format.options.map(literal).join(' | ')), ...cut }
  try {
    return format.type === 'regex'
      ? { rule: grammar.name(regexRule(format.pattern)), ...cut }
      : new SchemaGrammar(grammar, format.schema).compile()
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(error.code, error.message, { param: fieldOf(format), cause: error })
    if (!(error instanceof GrammarFault)) throw error
    const message = `The regular expression of ${fieldOf(format)} cannot be followed: ${error.message}.`
    throw new ServiceError('unsupported_parameter', message, { param: fieldOf(format), cause: error })
  }
}

/** A rule, and about how many characters end what it allows; null = it is cut. */
interface OutputRule extends Omit<SchemaRule, 'closingLength'> {
  readonly closingLength: number | null
}

/** The request's field that asked for a format. */
export function fieldOf(format: Exclude<ResponseFormat, { type: 'text' }>): string {
  return ('field' in format ? format.field : undefined) ?? 'response_format'
}
