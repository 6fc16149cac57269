/** What using a model costs, in whichever unit the operator counts. Each price is kept in millionths of that unit. */
export interface ModelPrice {
  /** For a million tokens read. */
  readonly promptTokens: number
  /** For a million tokens written. */
  readonly completionTokens: number
  /** For each picture. */
  readonly image: number
}

/** What was or may be used of a model. */
export interface PricedUse {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
}

const million = 1_000_000

/** The cost of a use in millionths, rounded up; 0 where the model has no price. Exact for sums below 2⁵³. */
export function costOf(price: ModelPrice | null, { promptTokens, completionTokens, images }: PricedUse): number {
  if (price === null) return 0
  return Math.ceil((promptTokens * price.promptTokens + completionTokens * price.completionTokens) / million) + images * price.image
}

/** The most tokens that can be written for so much money, in millionths, once the prompt was read; below 0 when it is not even enough for that. */
export function affordableTokens(
  price: ModelPrice,
  { promptTokens, money }: { readonly promptTokens: number; readonly money: number },
): number {
  const left = money * million - promptTokens * price.promptTokens
  if (left < 0) return -1
  return price.completionTokens === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / price.completionTokens)
}

/** An amount of millionths as people write it, such as `0.25`. */
export function formatMoney(millionths: number): string {
  const digits = String(Math.abs(millionths)).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '').padEnd(2, '0')
  return `${millionths < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction}`
}

/** Reads an amount with up to six decimals; null when it is none, or too large to be counted exactly. */
export function parseMoney(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim())
  return match === null ? null : Number(match[1]) * million + Number((match[2] ?? '').padEnd(6, '0'))
}
