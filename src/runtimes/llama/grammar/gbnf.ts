/** A GBNF literal: exactly this text. */
export function literal(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
}

/** A code point inside GBNF's brackets. */
export function inClass(code: number): string {
  return `\\U${code.toString(16).padStart(8, '0')}`
}

/** Rules of a grammar by name; `root` is where it starts. */
export class Grammar {
  readonly #rules = new Map<string, string>()
  readonly #names = new Map<string, string>()
  #length = 0

  /** Adds a rule once; the same name always means the same body. */
  define(name: string, body: string): string {
    this.#rules.set(name, body)
    this.#length += body.length
    return name
  }

  /** The rule for `body`; equal bodies share one. */
  name(body: string): string {
    const known = this.#names.get(body)
    if (known !== undefined) return known
    const name = this.define(`rule-${this.#rules.size}`, body)
    this.#names.set(body, name)
    return name
  }

  /** A name whose rule is still to be defined; until then it is nothing at all. */
  reserve(): string {
    return this.define(`rule-${this.#rules.size}`, '""')
  }

  get size(): number {
    return this.#rules.size
  }

  /** Characters of all that was defined. */
  get length(): number {
    return this.#length
  }

  toString(): string {
    return [...this.#rules].map(([name, body]) => `${name} ::= ${body}\n`).join('')
  }
}

/** How often something comes; `most` is null where there is no bound. */
export interface Counts {
  readonly least: number
  readonly most: number | null
}

/** As often as one count of a grammar may repeat something. */
const maxAtOnce = 1000
/** Nothing that an answer holds comes more often. */
export const maxOverall = 1_000_000

/**
 * GBNF for something again and again, as often as a schema may ask for; counts of more than a thousand are counts of thousands.
 *
 * @param rule A name, or something in parentheses or brackets.
 * @param most null = any number.
 */
export function repeated(rule: string, least: number, most: number | null): string {
  if (least > maxAtOnce) {
    const [thousands, rest] = [Math.floor(least / maxAtOnce), least % maxAtOnce]
    const begin = `(${rule}{${maxAtOnce}}){${thousands}}`
    return `${begin} ${repeated(rule, rest, most === null ? null : most - thousands * maxAtOnce)}`
  }
  if (most === null || most > maxOverall) return `${rule}{${least},}`
  if (most <= maxAtOnce) return `${rule}{${least},${most}}`
  const optional = most - least
  const thousands = Math.floor(optional / maxAtOnce) - 1
  const begin = least === 0 ? '' : `${rule}{${least}} `
  if (thousands < 1) return `${begin}${rule}{0,${optional}}`
  return `${begin}(${rule}{${maxAtOnce}}){0,${thousands}} ${rule}{0,${optional - thousands * maxAtOnce}}`
}
