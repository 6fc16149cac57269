import { GrammarFault } from '../automaton/grammar-fault.ts'
import { literal } from './gbnf.ts'

const deepestNesting = 32
const classes: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_', s: ' \\t\\n\\r\\x0B\\x0C' }
const controls: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', 0: '\0' }

/**
 * GBNF for what a regular expression matches as a whole; `^` at its beginning and `$` at its end change nothing.
 *
 * @throws {GrammarFault} naming what no grammar can say, such as looking ahead, or what is not supported.
 */
export function regexRule(pattern: string): string {
  return new RegexReader(pattern).read()
}

class RegexReader {
  readonly #pattern: string
  #at: number
  #nesting = 0

  constructor(pattern: string) {
    const body = pattern.endsWith('$') && !/(^|[^\\])(\\\\)*\\\$$/.test(pattern) ? pattern.slice(0, -1) : pattern
    this.#pattern = body
    this.#at = body.startsWith('^') ? 1 : 0
  }

  read(): string {
    const rule = this.#choice()
    if (this.#at < this.#pattern.length) this.#refuse('")" closes nothing')
    return rule
  }

  #choice(): string {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.join(' | ')
  }

  #sequence(): string {
    const parts: string[] = []
    for (let next = this.#peek(); next !== '' && next !== '|' && next !== ')'; next = this.#peek()) parts.push(this.#item() + this.#count())
    return parts.length === 0 ? '""' : parts.join(' ')
  }

  #item(): string {
    if (this.#take('(')) return this.#group()
    if (this.#take('[')) return this.#class()
    if (this.#take('.')) return '[^\\n\\r]'
    if (this.#take('\\')) return this.#escape()
    const letter = this.#letter()
    if (/[*+?{}]/.test(letter)) this.#refuse(`"${letter}" repeats nothing; write \\${letter} for the character`)
    if (/[$^]/.test(letter)) this.#refuse(`"${letter}" stands inside; the expression always matches the whole output`)
    return literal(letter)
  }

  #group(): string {
    if (++this.#nesting > deepestNesting) this.#refuse(`parentheses nest deeper than ${deepestNesting} levels`)
    if (this.#take('?') && !this.#take(':')) {
      if (!/^P?<[A-Za-z_]\w*>/.test(this.#rest())) this.#refuse('looking ahead or behind, and flags, are not supported')
      this.#at += this.#rest().indexOf('>') + 1
    }
    const inside = this.#choice()
    if (!this.#take(')')) this.#refuse('")" is missing')
    this.#nesting--
    return `(${inside})`
  }

  #class(): string {
    let body = this.#take('^') ? '^' : ''
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#peek() === '') this.#refuse('"]" is missing')
      if (this.#take('\\')) body += this.#escapeInClass()
      else if (this.#peek() === '-') body += this.#hyphen(body)
      else body += inClass(this.#letter())
    }
    this.#take(']')
    return `[${body}]`
  }

  /** A hyphen between two characters makes a range; any other is a character. */
  #hyphen(body: string): string {
    this.#letter()
    const isRange = body !== '' && body !== '^' && this.#peek() !== ']' && this.#peek() !== ''
    return isRange ? '-' : inClass('-')
  }

  #escape(): string {
    const letter = this.#peek()
    const known = classes[letter.toLowerCase()]
    if (known === undefined) return literal(this.#escaped())
    this.#letter()
    return letter === letter.toLowerCase() ? `[${known}]` : `[^${known}]`
  }

  #escapeInClass(): string {
    const known = classes[this.#peek()]
    if (known === undefined) return inClass(this.#escaped())
    this.#letter()
    return known
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
  #count(): string {
    const count = /^(?:[*+?]|\{\d+(?:,\d*)?\})/.exec(this.#rest())?.[0] ?? ''
    this.#at += count.length
    if (count !== '' && this.#take('+')) this.#refuse('possessive counts are not supported')
    if (count !== '') this.#take('?')
    return count
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

/** A character inside GBNF's brackets. */
function inClass(character: string): string {
  return `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`
}
