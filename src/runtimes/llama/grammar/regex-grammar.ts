import { GrammarFault } from '../automaton/grammar-fault.ts'
import { anyInLine, type CharacterRange, classRule, complement, jsonClassRule, jsonLiteral, namedClasses } from './character-class.ts'
import { type Grammar, literal } from './gbnf.ts'

const deepestNesting = 32
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }

/** How what an expression matches is written. */
interface Spelling {
  text(character: string): string
  /** One character of a class; null = no character is in it. */
  one(ranges: readonly CharacterRange[]): string | null
  /** What may stand before and after what is matched, where no anchor forbids it. */
  readonly before: Part
  readonly after: Part
}

/** A rule, and after how many characters it can be through. */
interface Part {
  readonly rule: string
  readonly length: number
}

const nothing: Part = { rule: '', length: 0 }
/** Before a match that may stand anywhere: a model with no end in sight would never come to it. */
const mostBefore = 64

/**
 * GBNF for what a regular expression matches as a whole; `^` at the beginning of an alternative and `$` at its end change nothing.
 *
 * @throws {GrammarFault} naming what no grammar can say, such as looking ahead, or what is not supported.
 */
export function regexRule(pattern: string): string {
  return new RegexReader(pattern, { text: literal, one: classRule, before: nothing, after: nothing }).read().rule
}

/**
 * GBNF for the inside of JSON strings in which a regular expression is found: where `^` and `$` say, else behind 64 characters at most.
 *
 * @param grammar Knows JSON (`defineJson`).
 * @throws {GrammarFault} as `regexRule` does.
 */
export function patternRule(grammar: Grammar, pattern: string): Part {
  const known = new Map<readonly CharacterRange[], string | null>()
  const one = (ranges: readonly CharacterRange[]): string | null => {
    const rule = known.get(ranges) ?? jsonClassRule(ranges)
    known.set(ranges, rule)
    return rule === null ? null : grammar.name(rule)
  }
  const before = { rule: `char{0,${mostBefore}}`, length: mostBefore }
  return new RegexReader(pattern, { text: jsonLiteral, one, before, after: { rule: 'char*', length: 0 } }).read()
}

class RegexReader {
  readonly #pattern: string
  readonly #spelling: Spelling
  #at = 0
  #nesting = 0

  constructor(pattern: string, spelling: Spelling) {
    this.#pattern = pattern
    this.#spelling = spelling
  }

  read(): Part {
    const part = this.#choice(() => this.#anchored())
    if (this.#at < this.#pattern.length) this.#refuse('")" closes nothing')
    return part
  }

  #choice(readOption: () => Part): Part {
    const options = [readOption()]
    while (this.#take('|')) options.push(readOption())
    return { rule: options.map(({ rule }) => rule).join(' | '), length: Math.min(...options.map(({ length }) => length)) }
  }

  /** An alternative of the whole expression. */
  #anchored(): Part {
    const before = this.#take('^') ? nothing : this.#spelling.before
    const match = this.#sequence()
    const after = this.#take('$') ? nothing : this.#spelling.after
    return joined([before, match, after])
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (!this.#endsSequence()) parts.push(this.#repeated(this.#item()))
    return parts.length === 0 ? { rule: '""', length: 0 } : joined(parts)
  }

  #endsSequence(): boolean {
    const next = this.#peek()
    return next === '' || next === '|' || next === ')' || (next === '$' && this.#nesting === 0 && /^\$(?:\||$)/.test(this.#rest()))
  }

  #item(): Part {
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return this.#one(this.#class())
    if (this.#take('.')) return this.#one(anyInLine)
    const named = this.#namedClass()
    if (named !== null) return this.#one(named)
    if (this.#take('\\')) return { rule: this.#spelling.text(this.#escaped()), length: 1 }
    const letter = this.#letter()
    if (/[*+?{}]/.test(letter)) this.#refuse(`"${letter}" repeats nothing; write \\${letter} for the character`)
    if (/[$^]/.test(letter)) this.#refuse(`"${letter}" stands inside; it may stand at an end of the expression or of an alternative only`)
    return { rule: this.#spelling.text(letter), length: 1 }
  }

  #one(ranges: readonly CharacterRange[]): Part {
    const rule = this.#spelling.one(ranges)
    return rule === null ? this.#refuse('no character is in the class') : { rule, length: 1 }
  }

  #group(): Part {
    if (++this.#nesting > deepestNesting) this.#refuse(`parentheses nest deeper than ${deepestNesting} levels`)
    if (this.#take('?') && !this.#take(':')) {
      if (!/^P?<[A-Za-z_]\w*>/.test(this.#rest())) this.#refuse('looking ahead or behind, and flags, are not supported')
      this.#at += this.#rest().indexOf('>') + 1
    }
    const { rule, length } = this.#choice(() => this.#sequence())
    if (!this.#take(')')) this.#refuse('")" is missing')
    this.#nesting--
    return { rule: `(${rule})`, length }
  }

  #class(): readonly CharacterRange[] {
    const negated = this.#take('^')
    const ranges: CharacterRange[] = []
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#peek() === '') this.#refuse('"]" is missing')
      ranges.push(...(this.#namedClass() ?? [this.#range()]))
    }
    this.#take(']')
    return negated ? complement(ranges) : ranges
  }

  /** A hyphen between two characters makes a range; any other is a character. */
  #range(): CharacterRange {
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

  #namedClass(): readonly CharacterRange[] | null {
    const ranges = this.#peek() === '\\' ? namedClasses[this.#pattern.charAt(this.#at + 1)] : undefined
    if (ranges === undefined) return null
    this.#at += 2
    return ranges
  }

  /** The character that stands behind a backslash. */
  #escaped(): string {
    const code = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(this.#rest())
    if (code !== null) {
      this.#at += code[0].length
      return String.fromCodePoint(Number.parseInt(code[1] ?? code[2] ?? '', 16))
    }
    const letter = this.#letter()
    if (letter === '') this.#refuse('it ends with a backslash')
    const control = controls[letter]
    if (control !== undefined) return control
    if (/[A-Za-z0-9]/.test(letter)) this.#refuse(`"\\${letter}" is not supported`)
    return letter
  }

  /** Counts as GBNF writes them too; whether few or many are tried first makes no difference to what matches. */
  #repeated(part: Part): Part {
    if (!'*+?{'.includes(this.#peek() || ' ')) return part
    const count = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(this.#rest())?.[0] ?? ''
    this.#at += count.length
    if (count !== '' && this.#take('+')) this.#refuse('possessive counts are not supported')
    if (count !== '') this.#take('?')
    return { rule: part.rule + count, length: part.length * leastTimes(count) }
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
    return letter
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

function joined(parts: readonly Part[]): Part {
  const rules = parts.map(({ rule }) => rule).filter((rule) => rule !== '')
  return { rule: rules.join(' '), length: parts.reduce((sum, { length }) => sum + length, 0) }
}

function leastTimes(count: string): number {
  if (count === '' || count === '+') return 1
  return Number(/\d+/.exec(count)?.[0] ?? 0)
}
