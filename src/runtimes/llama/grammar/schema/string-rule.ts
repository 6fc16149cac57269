import { GrammarFault } from '../../automaton/grammar-fault.ts'
import { type Counts, type Grammar, maxOverall, repeated } from '../gbnf.ts'
import { maxCharactersBefore, type PatternAlternative, patternRule } from '../regex/regex-grammar.ts'
import type { TextPart } from '../regex/text-part.ts'
import type { Leeway } from './leeway.ts'
import type { FlatSchema } from './read-schema.ts'
import { stringFormats } from './string-formats.ts'

/** A string's context. */
export interface StringPlace {
  readonly where: string
  /** The rule of any string that stands without quotes, between tags; null = it stands in quotes. */
  readonly bareText: string | null
  readonly leeway: Leeway
}

/**
 * The rule for a string with lengths, a pattern or a format. Of a format and a pattern, the pattern is followed, or the format if the
 * pattern is not supported.
 */
export function stringRule(grammar: Grammar, schema: FlatSchema, { where, bareText, leeway }: StringPlace): string {
  const { maxLength: most = null, format, pattern } = schema
  let { minLength: least = 0 } = schema
  if (least > maxOverall) {
    leeway.loosen(`"minLength" at ${where} is supported up to ${maxOverall}`)
    least = 0
  }
  if (most !== null && most < least) {
    leeway.mistake(`the lengths at ${where} exclude every value`)
    return textRule(grammar, { least: 0, most: null }, bareText)
  }
  const lengths = { least, most }
  const known = format === undefined ? undefined : stringFormats[format]
  if (pattern !== undefined && bareText !== null) {
    leeway.loosen(`the pattern at ${where} is of a string without quotes`)
    return textRule(grammar, lengths, bareText)
  }
  const formatted = known?.find((part) => fits(part, lengths))
  const part = pattern === undefined ? (formatted ?? known?.[0]) : patterned(grammar, { pattern, lengths, where, leeway }, formatted)
  if (part === undefined) return textRule(grammar, lengths, bareText)
  if (!fits(part, lengths))
    leeway.loosen(`the lengths at ${where} must allow every match of the ${pattern === undefined ? 'format' : 'pattern'}`)
  return bareText === null ? quoted(grammar, part.rule) : grammar.name(part.rule)
}

/** Without quotes a string whose length counts holds no `<`, and does not begin with line breaks that could be those of the tags. */
function textRule(grammar: Grammar, { least, most }: Counts, bareText: string | null): string {
  if (least === 0 && most === null) return bareText ?? 'string'
  if (bareText === null) return quoted(grammar, repeated('char', least, most))
  const begin = repeated('[^<\\r\\n\\x00]', least, least)
  return grammar.name(`${begin} ${most === null ? bareText : repeated('[^<\\x00]', 0, most - least)}`)
}

interface Patterned {
  readonly pattern: string
  readonly lengths: Counts
  readonly where: string
  readonly leeway: Leeway
}

/**
 * @param instead For a pattern that cannot be followed within the lengths.
 * @returns undefined when neither can be followed.
 */
function patterned(grammar: Grammar, { pattern, lengths, where, leeway }: Patterned, instead: TextPart | undefined): TextPart | undefined {
  try {
    const part = patternRule(grammar, pattern)
    if (fits(part, lengths)) return part
    const bounded = boundedRule(grammar, part.alternatives, lengths)
    if (bounded !== null) return bounded
    return part.opensOnce ? (fitted(grammar, pattern, lengths) ?? instead ?? part) : (instead ?? part)
  } catch (error) {
    if (!(error instanceof GrammarFault)) throw error
    if (instead === undefined) leeway.loosen(`the pattern at ${where}: ${error.message}`, error)
    return instead
  }
}

/** Alternatives around which any text may stand, so much of it that the lengths hold; null where an alternative alone may be too long or short. */
function boundedRule(grammar: Grammar, alternatives: readonly PatternAlternative[], { least, most }: Counts): TextPart | null {
  if (most === null || alternatives.some(({ match }) => match.most > most)) return null
  const rules: string[] = []
  for (const { match, before, behind } of alternatives) {
    if (!before && !behind && match.least < least) return null
    const room = most - match.most
    const text = (written: number): string => repeated('char', Math.max(0, least - match.least - written), Math.max(0, room - written))
    const found = grammar.name(match.rule)
    if (!before) rules.push(`${found} ${behind ? text(0) : ''}`)
    else if (!behind)
      rules.push(
        `${repeated('char', Math.max(0, least - match.least), Math.max(Math.min(room, maxCharactersBefore), least - match.least))} ${found}`,
      )
    else {
      let rule = ''
      for (let written = Math.min(room, maxCharactersBefore); written >= 0; written--)
        rule = grammar.name(`${found} ${text(written)}${rule === '' ? '' : ` | char ${rule}`}`)
      rules.push(rule)
    }
  }
  return { rule: rules.join(' | '), least, most }
}

/** Maximum count of a repetition. */
const often = 1000

/** A pattern whose one count without an upper bound repeats as often as the lengths allow, which grow with it evenly; null = they never do. */
function fitted(grammar: Grammar, pattern: string, { least, most }: Counts): TextPart | null {
  const here = patternRule(grammar, pattern, { least: often, most: often })
  const next = patternRule(grammar, pattern, { least: often + 1, most: often + 1 })
  const repeats = (wanted: number, of: 'least' | 'most'): number => often + (wanted - here[of]) / (next[of] - here[of])
  const fewest = least === 0 ? 0 : Math.max(0, Math.ceil(repeats(least, 'least')))
  const largest = most === null ? Number.POSITIVE_INFINITY : Math.floor(repeats(most, 'most'))
  try {
    const part = patternRule(grammar, pattern, { least: fewest, most: largest })
    return fits(part, { least, most }) ? part : null
  } catch (error) {
    if (error instanceof GrammarFault) return null // it could be read before
    throw error
  }
}

function fits(part: TextPart, { least, most }: Counts): boolean {
  return part.least >= least && (most === null || part.most <= most)
}

function quoted(grammar: Grammar, rule: string): string {
  return grammar.name(`"\\"" (${rule}) "\\""`)
}
