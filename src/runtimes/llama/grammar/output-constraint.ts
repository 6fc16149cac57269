import { ServiceError } from '../../../core/error.ts'
import type { ResponseFormat } from '../../../core/text-generation.ts'
import { GrammarFault } from '../automaton/grammar-fault.ts'
import { Grammar, literal } from './gbnf.ts'
import { defineJson } from './json-rules.ts'
import { regexRule } from './regex/regex-grammar.ts'
import { Leeway } from './schema/leeway.ts'
import { SchemaGrammar } from './schema/schema-grammar.ts'

/** A constraint on a whole answer. */
export interface OutputConstraint {
  /** GBNF with a `root` rule. */
  readonly grammar: string
  /** The request field it came in. */
  readonly param: string
  /** Whether it is made whole before its tokens run out, by its shortest ending; else it is cut. */
  readonly endsInTime: boolean
  /** Loosened parts of its schemas, as sentences. */
  readonly loosened: readonly string[]
}

/**
 * Translates a response format to a grammar; null = any text.
 *
 * @throws {ServiceError} `unsupported_parameter` naming the unsupported part and its field.
 */
export function constrainOutput(format: ResponseFormat): OutputConstraint | null {
  if (format.type === 'text') return null
  const param = fieldOf(format)
  if (format.type === 'grammar') return { grammar: format.grammar, param, endsInTime: false, loosened: [] }
  const grammar = new Grammar()
  defineJson(grammar)
  const { rule, loosened } = formatRule(grammar, format)
  grammar.define('root', rule)
  return { grammar: grammar.toString(), param, endsInTime: format.type === 'json_object' || format.type === 'json_schema', loosened }
}

/** A format whose rules can stand beside others. */
export type RuledFormat = Exclude<ResponseFormat, { type: 'text' | 'grammar' }>

/**
 * Adds a rule for a format to a grammar with JSON rules; also returns the loosened parts of its schema.
 *
 * @throws {ServiceError} as {@link constrainOutput}.
 */
export function formatRule(grammar: Grammar, format: RuledFormat): { readonly rule: string; readonly loosened: readonly string[] } {
  if (format.type === 'json_object') return { rule: 'object', loosened: [] }
  if (format.type === 'choice') return { rule: grammar.name(format.options.map(literal).join(' | ')), loosened: [] }
  try {
    if (format.type === 'regex') return { rule: grammar.name(regexRule(format.pattern)), loosened: [] }
    const leeway = new Leeway(format.strict === true ? 'strict' : 'loose', fieldOf(format))
    const rule = new SchemaGrammar(grammar, format.schema, leeway).compile()
    return { rule, loosened: leeway.loosened }
  } catch (error) {
    if (error instanceof ServiceError) throw new ServiceError(error.code, error.message, { param: fieldOf(format), cause: error })
    if (!(error instanceof GrammarFault)) throw error
    const message = `The regular expression of ${fieldOf(format)} cannot be followed: ${error.message}.`
    throw new ServiceError('unsupported_parameter', message, { param: fieldOf(format), cause: error })
  }
}

/** The request field of a format. */
export function fieldOf(format: Exclude<ResponseFormat, { type: 'text' }>): string {
  return ('field' in format ? format.field : undefined) ?? 'response_format'
}
