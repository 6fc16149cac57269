/** What a number box takes. */
export interface NumberRange {
  readonly least: number
  readonly most: number
  readonly whole: boolean
}

/** What somebody typed, as a number, with or without commas between thousands; NaN when it is none. */
export function readNumber(text: string): number {
  const trimmed = text.trim()
  if (/^-?\d{1,3}(?:,\d{3})+$/.test(trimmed)) return Number(trimmed.replaceAll(',', ''))
  return trimmed === '' ? Number.NaN : Number(trimmed)
}

/** A sentence for a number outside its range, or null. */
export function numberFault(value: number, { least, most, whole }: NumberRange): string | null {
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return null
  return `${whole ? 'A whole number' : 'A number'} from ${least.toLocaleString('en')} to ${most.toLocaleString('en')}.`
}
