import { decimalText, plainNumber } from '../../language/formats.ts'
import { t } from '../../language/t.ts'
/** The range of a number field. */
export interface NumberRange {
  readonly least: number
  readonly most: number
  readonly whole: boolean
}

/** Parses a number in the format of the page's language, with or without thousands separators; NaN = invalid. */
export function readNumber(text: string): number {
  const plain = plainNumber(text)
  return plain === '' ? Number.NaN : Number(plain)
}

/** The message for a number outside its range, or null. */
export function numberFault(value: number, { least, most, whole }: NumberRange): string | null {
  if (value >= least && value <= most && (!whole || Number.isInteger(value))) return null
  return whole
    ? t`A whole number from ${decimalText(least, 6)} to ${decimalText(most, 6)}.`
    : t`A number from ${decimalText(least, 6)} to ${decimalText(most, 6)}.`
}
