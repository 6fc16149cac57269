import { farthest, integerRange } from './integer-range.ts'

/** One end of a range: a number of 0 or more in decimal digits, and whether it belongs to the range. */
interface End {
  readonly whole: number
  /** Digits after the point, without trailing zeros. */
  readonly fraction: string
  readonly included: boolean
}

/** Possible digits after a point: whether there may be none, and GBNF for each alternative of one or more. */
interface Digits {
  readonly none: boolean
  readonly some: readonly string[]
}

const maxDigits = 16
/** Numbers of no more digits are never rounded to another one of them. */
const exactDigits = 15
const noDigits: Digits = { none: false, some: [] }
const zeros: Digits = { none: true, some: [`"0"{1,${maxDigits}}`] }
const largest: End = { whole: farthest, fraction: '', included: true }

/** An end of a range. */
export interface Bound {
  readonly value: number
  readonly included: boolean
}

/**
 * GBNF for the numbers without an exponent between two bounds, null = open up to 15 digits before the point.
 *
 * @param bounds Each with at most 15 digits before and after the point.
 * @returns null = no number is in between.
 */
export function decimalRange({ low, high }: { readonly low: Bound | null; readonly high: Bound | null }): string | null {
  const parts: (string | null)[] = []
  const zero: Bound = { value: 0, included: true }
  if (low === null || low.value < 0) {
    const near = high === null || high.value >= 0 ? { ...zero, included: false } : high
    const rule = magnitudes(endOf(near), low === null ? largest : endOf(low))
    parts.push(rule === null ? null : `"-" (${rule})`)
  }
  if (high === null || high.value >= 0)
    parts.push(magnitudes(endOf(low === null || low.value < 0 ? zero : low), high === null ? largest : endOf(high)))
  const rules = parts.filter((rule) => rule !== null)
  return rules.length === 0 ? null : rules.join(' | ')
}

function endOf({ value, included }: Bound): End {
  const magnitude = Math.abs(value)
  const written = magnitude < 1e-6 ? magnitude.toFixed(15).replace(/\.?0+$/, '') : String(magnitude)
  const [whole = '', fraction = ''] = written.split('.')
  return { whole: Number(whole), fraction, included }
}

function magnitudes(low: End, high: End): string | null {
  const most = fractionDigits([low, high])
  if (low.whole > high.whole) return null
  if (low.whole === high.whole) return number(String(low.whole), between(low, high, most))
  const parts = [number(String(low.whole), above(low, most))]
  const [from, to] = [low.whole + 1, high.whole - 1]
  if (from <= to) parts.push(number(`(${integerRange({ minimum: from, maximum: to })})`, anyDigits(most)))
  parts.push(number(String(high.whole), below(high, most)))
  const rules = parts.filter((rule) => rule !== null)
  return rules.length === 0 ? null : rules.join(' | ')
}

/** Maximum number of digits after the point: next to an excluded end, no number may round to it. */
function fractionDigits(ends: readonly End[]): number {
  const excluded = ends.filter(({ included }) => !included)
  return Math.min(maxDigits, ...excluded.map(({ whole }) => exactDigits - (whole === 0 ? 0 : String(whole).length)))
}

type Rest = Omit<End, 'whole'>

function next(end: Rest): Rest {
  return { ...end, fraction: end.fraction.slice(1) }
}

function above(low: Rest, most: number): Digits {
  if (low.fraction === '') return low.included ? anyDigits(most) : notOnlyZeros(most)
  const digit = Number(low.fraction[0])
  return { none: false, some: [...followed(digit, above(next(low), most - 1)), ...anyOf(digit + 1, 9, most)] }
}

function below(high: Rest, most: number): Digits {
  if (high.fraction === '') return high.included ? zeros : noDigits
  const digit = Number(high.fraction[0])
  return { none: true, some: [...anyOf(0, digit - 1, most), ...followed(digit, below(next(high), most - 1))] }
}

function between(low: Rest, high: Rest, most: number): Digits {
  if (low.fraction === '' && low.included) return below(high, most)
  if (high.fraction === '') return noDigits // what is left below it is less than `low`
  const [from, to] = [Number(low.fraction[0] ?? 0), Number(high.fraction[0])]
  if (from > to) return noDigits
  if (from === to) return { none: false, some: followed(from, between(next(low), next(high), most - 1)) }
  const [least, largest] = [above(next(low), most - 1), below(next(high), most - 1)]
  return { none: false, some: [...followed(from, least), ...anyOf(from + 1, to - 1, most), ...followed(to, largest)] }
}

function anyDigits(most: number): Digits {
  return { none: true, some: most < 1 ? [] : [`[0-9]{1,${most}}`] }
}

function notOnlyZeros(most: number): Digits {
  return { none: false, some: Array.from({ length: Math.max(0, most) }, (_, zeros) => `"0"{${zeros}} [1-9] [0-9]{0,${most - zeros - 1}}`) }
}

function followed(digit: number, { none, some }: Digits): readonly string[] {
  if (some.length === 0) return none ? [`"${digit}"`] : []
  return [`"${digit}" (${some.join(' | ')})${none ? '?' : ''}`]
}

/** A digit from `from` to `to`, then any others, `most` together. */
function anyOf(from: number, to: number, most: number): readonly string[] {
  return from > to ? [] : [`[${from}-${to}] [0-9]{0,${Math.max(0, most - 1)}}`]
}

function number(whole: string, { none, some }: Digits): string | null {
  const text = whole.startsWith('(') ? whole : `"${whole}"`
  if (some.length === 0) return none ? text : null
  const behind = `("." (${some.join(' | ')}))`
  return none ? `${text} ${behind}?` : `${text} ${behind}`
}
