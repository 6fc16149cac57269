import { literal } from '../gbnf.ts'
import { farthest, integerRange } from './integer-range.ts'

/** Multiples that are listed one by one. */
const maxListed = 1000
/** Endings of numbers that are listed, as the 20 of multiples of 0.05. */
const maxEndings = 200

/** The requested multiples. */
export interface Multiples {
  /** Above 0. */
  readonly step: number
  /** Included; null = open. */
  readonly low: number | null
  readonly high: number | null
  /** Whether they may be written with a point. */
  readonly decimals: boolean
}

/**
 * GBNF for the multiples of a number.
 *
 * @returns `none` = no multiple is within the bounds; null = unsupported: the step divides no power of ten, and there are more than 1000.
 */
export function multiplesRule({ step, low, high, decimals }: Multiples): string | 'none' | null {
  const places = decimalsOf(step)
  if (places > 12) return null
  const scale = 10 ** places
  const scaled = Math.round(step * scale)
  const [least, most] = [low === null ? null : ceil(low * scale, scaled), high === null ? null : floor(high * scale, scaled)]
  if (least !== null && most !== null) {
    if (least > most) return 'none'
    if (most - least < maxListed)
      return listed(
        Array.from({ length: most - least + 1 }, (_, index) => (least + index) * scaled),
        places,
        decimals,
      )
  }
  return places === 0 ? wholeMultiples(scaled, least, most) : decimalMultiples({ scaled, scale, places }, least, most)
}

function listed(multiples: readonly number[], places: number, decimals: boolean): string | 'none' {
  const written = multiples
    .map((multiple) => String(Number((multiple / 10 ** places).toFixed(places))))
    .filter((text) => decimals || !text.includes('.'))
  return written.length === 0 ? 'none' : written.map((text) => literal(text === '-0' ? '0' : text)).join(' | ')
}

/** Multiples of a divisor of a power of ten end in few ways. */
function wholeMultiples(step: number, least: number | null, most: number | null): string | null {
  const digits = endingDigits(step)
  if (digits === null) return null
  const power = 10 ** digits
  const endings = endingsOf(step, digits)
  const parts: string[] = []
  for (const [sign, from, to] of halves(least, most)) {
    const [low, high] = [from * step, to === null ? Math.floor(farthest / step) * step : to * step]
    const [first, last] = [Math.floor(low / power), Math.floor(high / power)]
    const edge = (head: number): string[] =>
      endings
        .filter((ending) => head * power + Number(ending) >= low && head * power + Number(ending) <= high)
        .map((ending) => literal(`${sign}${String(head * power + Number(ending))}`))
    parts.push(...edge(first), ...(last > first ? edge(last) : []))
    if (last - first > 1)
      parts.push(`"${sign}" (${integerRange({ minimum: first + 1, maximum: last - 1 })}) (${endings.map(literal).join(' | ')})`)
  }
  return parts.join(' | ')
}

/** Multiples such as those of 0.05: any whole number within the bounds, then one of few endings. */
function decimalMultiples(
  { scaled, scale, places }: { readonly scaled: number; readonly scale: number; readonly places: number },
  least: number | null,
  most: number | null,
): string | null {
  const inOne = scale / scaled
  if (!Number.isInteger(inOne) || inOne > maxListed) return null
  const endings = scaled === 1 ? `[0-9]{1,${places}}` : listEndings(endingsOf(scaled, places))
  if (endings === null) return null
  const parts: string[] = []
  for (const [sign, from, to] of halves(least, most)) {
    const first = sign === '-' && from === 1 ? 0 : from
    const last = to ?? Math.floor(farthest / scale) * inOne
    const [low, high] = [Math.ceil(first / inOne), Math.floor(last / inOne)]
    const list = (start: number, end: number): void => {
      for (let index = start; index <= end; index++) parts.push(literal(`${sign}${Number(((index * scaled) / scale).toFixed(places))}`))
    }
    list(first, Math.min(last, low * inOne - 1))
    if (high > low) parts.push(`"${sign}" (${integerRange({ minimum: low, maximum: high - 1 })}) ("." (${endings}))?`)
    if (high >= low) list(high * inOne, last)
  }
  return parts.join(' | ')
}

function listEndings(endings: readonly string[]): string | null {
  return endings.length > maxEndings ? null : endings.map(literal).join(' | ')
}

/** Numbers below zero, without their sign, and the others; each from and to, null = open. */
function halves(low: number | null, high: number | null): readonly (readonly [sign: '-' | '', from: number, to: number | null])[] {
  const below: readonly (readonly ['-', number, number | null])[] =
    low === null || low < 0 ? [['-', Math.max(1, high === null ? 1 : -high), low === null ? null : -low]] : []
  const above: readonly (readonly ['', number, number | null])[] = high === null || high >= 0 ? [['', Math.max(0, low ?? 0), high]] : []
  return [...below, ...above]
}

/** Possible last digits of multiples, as many as the smallest power of ten that the step divides has zeros. */
function endingsOf(step: number, digits: number): readonly string[] {
  return Array.from({ length: 10 ** digits / step }, (_, index) => String(index * step).padStart(digits, '0'))
}

/** null when the step divides no power of ten, or too few. */
function endingDigits(step: number): number | null {
  for (let digits = 1; digits <= 9; digits++) if (10 ** digits % step === 0) return 10 ** digits / step <= maxEndings ? digits : null
  return null
}

function decimalsOf(step: number): number {
  for (let places = 0; places <= 12; places++) if (Number(step.toFixed(places)) === step) return places
  return 13
}

function ceil(value: number, step: number): number {
  return Math.ceil(Number((value / step).toPrecision(14)))
}

function floor(value: number, step: number): number {
  return Math.floor(Number((value / step).toPrecision(14)))
}
