import { ByteClasses, type CodeRange, complement, lastCodePoint } from './byte-class.ts'
import { type Expression, Expressions } from './expression.ts'
import { GrammarFault } from './grammar-fault.ts'

const deepestNesting = 64
/** Maximum number in `{…}`. */
const maxRepetitions = 10_000
/** Different ones in brackets: each is spelled out in bytes, some ten ranges. */
const maxClasses = 1000
/** Different ones between quotes: more than any language's words are written with. */
const maxCharacters = 8000
/** Behind one item, as in `a{2}{3}`. */
const maxCounts = 4
const escapes: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }

/**
 * Reads a grammar in llama.cpp's notation.
 *
 * @returns Its expressions, the rules' bodies among them; rules may still refer to others that do not exist.
 * @throws {GrammarFault} with the line at fault.
 * @see https://github.com/ggml-org/llama.cpp/blob/master/grammars/README.md
 */
export function parseGbnf(text: string): Expressions {
  return new GbnfParser(text).parse()
}

class GbnfParser {
  readonly #text: string
  readonly #expressions = new Expressions()
  readonly #classes = new ByteClasses()
  readonly #singles = new Map<number, Expression>()
  /** Character classes by their text within brackets. */
  readonly #bracketed = new Map<string, Expression>()
  #any: Expression | null = null
  #at = 0
  #nesting = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): Expressions {
    for (this.#skipSpace(true); this.#at < this.#text.length; this.#skipSpace(true)) {
      const rule = this.#expressions.rule(this.#name() ?? this.#refuse('a rule must begin with its name'))
      if (rule.body !== null) this.#refuse(`the rule "${rule.name}" is defined twice`)
      this.#skipSpace(false)
      if (!this.#take(/::=/y)) this.#refuse(`"::=" must follow the name "${rule.name}"`)
      this.#skipSpace(true)
      rule.body = this.#choice(false)
      if (this.#at < this.#text.length && !this.#take(/\r?\n|\r/y)) this.#refuse(`"${this.#text.charAt(this.#at)}" is not expected here`)
    }
    return this.#expressions
  }

  #choice(nested: boolean): Expression {
    const options = [this.#sequence(nested)]
    while (this.#take(/\|/y)) {
      this.#skipSpace(true)
      options.push(this.#sequence(nested))
    }
    return this.#expressions.choice(options)
  }

  #sequence(nested: boolean): Expression {
    const parts: Expression[] = []
    for (let item = this.#item(); item !== null; item = this.#item()) {
      this.#skipSpace(nested)
      for (let counts = this.#counts(), times = 1; counts !== null; counts = this.#counts(), times++) {
        if (times > maxCounts) this.#refuse(`an item may have at most ${maxCounts} counts`)
        item = this.#expressions.repeat(item, ...counts)
        this.#skipSpace(nested)
      }
      parts.push(item)
    }
    return this.#expressions.sequence(parts)
  }

  #item(): Expression | null {
    if (this.#take(/"/y)) return this.#literal()
    if (this.#take(/\[/y)) return this.#class()
    if (this.#take(/\(/y)) return this.#group()
    if (this.#take(/\./y)) return this.#anyCharacter()
    if (/[<!]/.test(this.#text.charAt(this.#at))) this.#refuse('tokens cannot be named, only characters')
    const name = this.#name()
    return name === null ? null : this.#expressions.reference(name)
  }

  #anyCharacter(): Expression {
    this.#any ??= this.#expressions.bytes(this.#classes.of([[0, lastCodePoint]]))
    return this.#any
  }

  #group(): Expression {
    if (++this.#nesting > deepestNesting) this.#refuse(`parentheses nest deeper than ${deepestNesting} levels`)
    this.#skipSpace(true)
    const inside = this.#choice(true)
    if (!this.#take(/\)/y)) this.#refuse('")" is missing')
    this.#nesting--
    return inside
  }

  #literal(): Expression {
    const parts: Expression[] = []
    while (this.#text[this.#at] !== '"') parts.push(this.#single(this.#character()))
    this.#at++
    return this.#expressions.sequence(parts)
  }

  #single(code: number): Expression {
    const known = this.#singles.get(code)
    if (known !== undefined) return known
    if (this.#singles.size >= maxCharacters) this.#refuse(`it has more than ${maxCharacters} different characters`)
    const made = this.#expressions.bytes(this.#classes.of([[code, code]]))
    this.#singles.set(code, made)
    return made
  }

  #class(): Expression {
    const start = this.#at
    const inverse = this.#take(/\^/y) !== null
    const ranges: CodeRange[] = []
    while (!this.#take(/\]/y)) {
      const low = this.#character()
      const high = this.#take(/-(?!\])/y) === null ? low : this.#character()
      if (high < low) this.#refuse('a range of characters ends before it begins')
      ranges.push([low, high])
    }
    const text = this.#text.slice(start, this.#at)
    const known = this.#bracketed.get(text)
    if (known !== undefined) return known
    if (this.#bracketed.size >= maxClasses) this.#refuse(`it has more than ${maxClasses} different classes of characters`)
    const made = this.#expressions.bytes(this.#classes.of(inverse ? complement(ranges) : ranges))
    this.#bracketed.set(text, made)
    return made
  }

  #character(): number {
    const code = this.#text.codePointAt(this.#at)
    if (code === undefined) this.#refuse('it ends inside quotes or brackets')
    if (code !== 0x5c) {
      this.#at += code > 0xffff ? 2 : 1
      return code
    }
    const found = this.#take(/\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([trn"[\]\\^/-]))/y)
    if (found === null) this.#refuse('there is no such escape')
    const [, two, four, eight, plain = ''] = found
    const hex = two ?? four ?? eight
    const escaped = hex === undefined ? (escapes[plain] ?? plain).codePointAt(0) : Number.parseInt(hex, 16)
    if (escaped === undefined || escaped > lastCodePoint) this.#refuse('there is no such character')
    return escaped
  }

  #counts(): readonly [least: number, most: number] | null {
    if (this.#take(/\*/y)) return [0, Number.POSITIVE_INFINITY]
    if (this.#take(/\+/y)) return [1, Number.POSITIVE_INFINITY]
    if (this.#take(/\?/y)) return [0, 1]
    if (!this.#take(/\{/y)) return null
    const [, first = '', comma, last = ''] =
      this.#take(/\s*(\d+)\s*(,?)\s*(\d*)\s*\}/y) ?? this.#refuse('write a repetition as {2}, {2,} or {2,5}')
    const least = Number(first)
    const most = last !== '' ? Number(last) : comma === '' ? least : Number.POSITIVE_INFINITY
    if (most < least) this.#refuse('repetitions end before they begin')
    if (least > maxRepetitions || (last !== '' && most > maxRepetitions))
      this.#refuse(`an item may be repeated at most ${maxRepetitions} times`)
    return [least, most]
  }

  #name(): string | null {
    return this.#take(/[\w-]+/y)?.[0] ?? null
  }

  #skipSpace(newlines: boolean): void {
    this.#take(newlines ? /(?:\s|#[^\r\n]*)+/y : /(?:[ \t]|#[^\r\n]*)+/y)
  }

  #take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found !== null) this.#at = pattern.lastIndex
    return found
  }

  #refuse(reason: string): never {
    throw new GrammarFault(`${reason} (line ${this.#text.slice(0, this.#at).split('\n').length})`)
  }
}
