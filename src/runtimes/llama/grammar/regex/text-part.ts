/** A rule, and how many characters it takes. */
export interface TextPart {
  readonly rule: string
  readonly least: number
  readonly most: number
}

/** Minimum and maximum number of repetitions; `most` may be infinite. */
export interface Repeats {
  readonly least: number
  readonly most: number
}

/** No character at all. */
export const nothing: TextPart = { rule: '', least: 0, most: 0 }

/** One character. */
export function character(rule: string): TextPart {
  return { rule, least: 1, most: 1 }
}

/** One after the other. */
export function joined(parts: readonly TextPart[]): TextPart {
  const sum = (of: (part: TextPart) => number): number => parts.reduce((total, part) => total + of(part), 0)
  const rules = parts.map(({ rule }) => rule).filter((rule) => rule !== '')
  return { rule: rules.join(' '), least: sum(({ least }) => least), most: sum(({ most }) => most) }
}

/** One again and again. */
export function times(part: TextPart, { least, most }: Repeats): TextPart {
  return {
    rule: `${part.rule}{${least},${most === Number.POSITIVE_INFINITY ? '' : most}}`,
    least: part.least * least,
    most: part.most === 0 || most === 0 ? 0 : part.most * most,
  }
}
