import type { CodeRange } from '../../automaton/byte-class.ts'
import { GrammarFault } from '../../automaton/grammar-fault.ts'
import { type Grammar, literal } from '../gbnf.ts'
import { anyInLine, classRule, complement, jsonClassRule, jsonLiteral, namedClasses } from './character-class.ts'
import { character, joined, nothing, type Repeats, type TextPart, times } from './text-part.ts'

const deepestNesting = 32
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }

/** Spelling of an expression's matches: as JSON, or as plain text. */
interface Spelling {
  text(character: string): string
  /** One character of a class; null = no character is in it. */
  one(ranges: readonly CodeRange[]): string | null
  /** Rule for any character before or after an unanchored match; null = the match is the whole text. */
  readonly any: string | null
}

/** Text that a pattern allows. */
export interface PatternPart extends TextPart {
  /** Whether exactly one count has no upper bound, and none repeats it. */
  readonly opensOnce: boolean
  readonly alternatives: readonly PatternAlternative[]
}

/** One alternative of a whole pattern, and whether any text may stand before it and behind it. */
export interface PatternAlternative {
  readonly match: TextPart
  readonly before: boolean
  readonly behind: boolean
}

/** Characters before a match that may stand anywhere: a model with no end in sight might never come to it. */
export const maxCharactersBefore = 64

/**
 * GBNF for what a regular expression matches as a whole; `^` at the beginning of an alternative and `$` at its end change nothing.
 *
 * @throws {GrammarFault} naming what no grammar can say, such as looking ahead, or what is not supported.
 */
export function regexRule(pattern: string): string {
  return new RegexReader(pattern, { text: literal, one: classRule, any: null }).read().rule
}

/**
 * GBNF for the inside of JSON strings that contain a match of a regular expression: as anchored by `^` and `$`, else after at most 64
 * characters.
 *
 * @param grammar Must contain the JSON rules (`defineJson`).
 * @param repeats For counts without an upper bound; absent = unlimited.
 * @throws {GrammarFault} as {@link regexRule}.
 */
export function patternRule(grammar: Grammar, pattern: string, repeats?: Repeats): PatternPart {
  const known = new Map<readonly CodeRange[], string | null>()
  const one = (ranges: readonly CodeRange[]): string | null => {
    const rule = known.get(ranges) ?? jsonClassRule(ranges)
    known.set(ranges, rule)
    return rule === null ? null : grammar.name(rule)
  }
  return new RegexReader(pattern, { text: jsonLiteral, one, any: 'char' }, repeats).read()
}

class RegexReader {
  readonly #pattern: string
  readonly #spelling: Spelling
  readonly #repeats: Repeats
  #at = 0
  #nesting = 0
  /** Counts without an upper bound so far; one within another counts twice. */
  #open = 0
  readonly #alternatives: PatternAlternative[] = []

  constructor(pattern: string, spelling: Spelling, repeats: Repeats = { least: 0, most: Number.POSITIVE_INFINITY }) {
    this.#pattern = pattern
    this.#spelling = spelling
    this.#repeats = repeats
  }

  read(): PatternPart {
    const part = this.#choice(() => this.#anchored())
    if (this.#at < this.#pattern.length) this.#refuse('")" closes nothing')
    return { ...part, opensOnce: this.#open === 1, alternatives: this.#alternatives }
  }

  #choice(readOption: () => TextPart): TextPart {
    const options = [readOption()]
    while (this.#take('|')) options.push(readOption())
    return {
      rule: options.map(({ rule }) => rule).join(' | '),
      least: Math.min(...options.map(({ least }) => least)),
      most: Math.max(...options.map(({ most }) => most)),
    }
  }

  #anchored(): TextPart {
    const { any } = this.#spelling
    const free = character(any ?? '')
    const begins = this.#take('^') || any === null
    const before = begins ? nothing : times(free, { least: 0, most: maxCharactersBefore })
    const match = this.#sequence()
    const ends = this.#take('$') || any === null
    const after = ends ? nothing : this.#unbounded(free, 0)
    this.#alternatives.push({ match, before: !begins, behind: !ends })
    return joined([before, match, after])
  }

  #sequence(): TextPart {
    const parts: TextPart[] = []
    while (!this.#endsSequence()) {
      const open = this.#open
      parts.push(this.#repeated(this.#item(), open))
    }
    return parts.length === 0 ? { ...nothing, rule: '""' } : joined(parts)
  }

  #endsSequence(): boolean {
    const next = this.#peek()
    return next === '' || next === '|' || next === ')' || (next === '$' && this.#nesting === 0 && /^\$(?:\||$)/.test(this.#rest()))
  }

  #item(): TextPart {
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return this.#one(this.#class())
    if (this.#take('.')) return this.#one(anyInLine)
    const named = this.#namedClass()
    if (named !== null) return this.#one(named)
    if (this.#take('\\')) return character(this.#spelling.text(this.#escaped()))
    const letter = this.#letter()
    if (/[*+?{}]/.test(letter)) this.#refuse(`"${letter}" repeats nothing; write \\${letter} for the character`)
    if (/[$^]/.test(letter)) this.#refuse(`"${letter}" is only allowed at the ends of the expression or of an alternative`)
    return character(this.#spelling.text(letter))
  }

  #one(ranges: readonly CodeRange[]): TextPart {
    const rule = this.#spelling.one(ranges)
    return rule === null ? this.#refuse('the class has no characters') : character(rule)
  }

  #group(): TextPart {
    if (++this.#nesting > deepestNesting) this.#refuse(`parentheses nest deeper than ${deepestNesting} levels`)
    if (this.#take('?') && !this.#take(':')) {
      if (!/^P?<[A-Za-z_]\w*>/.test(this.#rest())) this.#refuse('lookaround and flags are not supported')
      this.#at += this.#rest().indexOf('>') + 1
    }
    const inside = this.#choice(() => this.#sequence())
    if (!this.#take(')')) this.#refuse('")" is missing')
    this.#nesting--
    return { ...inside, rule: `(${inside.rule})` }
  }

  #class(): readonly CodeRange[] {
    const negated = this.#take('^')
    if (this.#spelling.any !== null && this.#peek() === ']')
      this.#refuse('"]" begins a class; write \\] for the character, [\\s\\S] for any')
    const ranges: CodeRange[] = []
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#peek() === '') this.#refuse('"]" is missing')
      ranges.push(...(this.#namedClass() ?? [this.#range()]))
    }
    this.#take(']')
    return negated ? complement(ranges) : ranges
  }

  /** A hyphen between two characters makes a range; any other is a character. */
  #range(): CodeRange {
    const first = this.#inClass()
    if (!/^-[^\]]/.test(this.#rest())) return [first, first]
    this.#take('-')
    const last = this.#inClass()
    if (last < first) this.#refuse('a range of characters ends before it begins')
    return [first, last]
  }

  #inClass(): number {
    const character = this.#take('\\') ? this.#escaped() : this.#letter()
    return character.codePointAt(0) ?? 0
  }

  #namedClass(): readonly CodeRange[] | null {
    const ranges = this.#peek() === '\\' ? namedClasses[this.#pattern.charAt(this.#at + 1)] : undefined
    if (ranges === undefined) return null
    this.#at += 2
    return ranges
  }

  #escaped(): string {
    const code = /^(?:x([0-9a-fA-F]{2})|u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(this.#rest())
    if (code !== null) {
      this.#at += code[0].length
      const units = code.slice(1).filter((hex) => hex !== undefined)
      return this.#whole(String.fromCharCode(...units.map((hex) => Number.parseInt(hex, 16))))
    }
    const letter = this.#letter()
    if (letter === '') this.#refuse('it ends with a backslash')
    const control = controls[letter]
    if (control !== undefined) return control
    if (/[A-Za-z0-9]/.test(letter)) this.#refuse(`"\\${letter}" is not supported`)
    return letter
  }

  /** Whether few or many are tried first makes no difference to what matches. @param open Counts without an upper bound before the part. */
  #repeated(part: TextPart, open: number): TextPart {
    if (!'*+?{'.includes(this.#peek() || ' ')) return part
    const count = /^(?:[*+?]|\{(\d+)(,(\d*))?\})/.exec(this.#rest())
    if (count === null) return part
    this.#at += count[0].length
    if (this.#take('+')) this.#refuse('possessive counts are not supported')
    this.#take('?')
    if (this.#open > open) this.#open++
    if (count[0] === '?') return this.#counted(part, { least: 0, most: 1 })
    const least = count[0] === '+' ? 1 : Number(count[1] ?? 0)
    if (count[1] === undefined || count[3] === '') return this.#unbounded(part, least)
    return this.#counted(part, { least, most: Number(count[3] ?? least) })
  }

  #unbounded(part: TextPart, least: number): TextPart {
    this.#open++
    return this.#counted(part, { least: Math.max(least, this.#repeats.least), most: this.#repeats.most })
  }

  #counted(part: TextPart, repeats: Repeats): TextPart {
    return repeats.least <= repeats.most ? times(part, repeats) : this.#refuse('a count ends before it begins')
  }

  #rest(): string {
    return this.#pattern.slice(this.#at, this.#at + 64)
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at)
  }

  #letter(): string {
    const letter = this.#at < this.#pattern.length ? String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0) : ''
    this.#at += letter.length
    return this.#whole(letter)
  }

  #whole(character: string): string {
    return character.isWellFormed() ? character : this.#refuse('half of a surrogate pair is not a character')
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }

  #refuse(reason: string): never {
    throw new GrammarFault(`${reason} (at character ${this.#at})`)
  }
}
