/** Price of a model in a unit chosen by the operator. Prices are stored in millionths of that unit. */
export interface ModelPrice {
  /** Per million prompt tokens. */
  readonly promptTokens: number
  /** Per million generated tokens. */
  readonly completionTokens: number
  /** Per picture. */
  readonly image: number
}

/** Use of a model, actual or expected. */
export interface PricedUse {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly images: number
}

const million = 1_000_000

/** Cost in millionths, rounded up; 0 without a price. Exact for amounts below 2⁵³. */
export function costOf(price: ModelPrice | null, { promptTokens, completionTokens, images }: PricedUse): number {
  if (price === null) return 0
  return Math.ceil((promptTokens * price.promptTokens + completionTokens * price.completionTokens) / million) + images * price.image
}

/**
 * Maximum number of tokens that can be generated for an amount (in millionths) after paying for the prompt; negative if it does not even
 * cover the prompt.
 */
export function affordableTokens(
  price: ModelPrice,
  { promptTokens, money }: { readonly promptTokens: number; readonly money: number },
): number {
  const left = money * million - promptTokens * price.promptTokens
  if (left < 0) return -1
  return price.completionTokens === 0 ? Number.POSITIVE_INFINITY : Math.floor(left / price.completionTokens)
}

/** Formats an amount of millionths, such as `0.25`. */
export function formatMoney(millionths: number): string {
  const digits = String(Math.abs(millionths)).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '').padEnd(2, '0')
  return `${millionths < 0 ? '-' : ''}${digits.slice(0, -6)}.${fraction}`
}

/** Parses an amount with up to six decimals; null if it is invalid or too large for exact arithmetic. */
export function parseMoney(text: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim())
  return match === null ? null : Number(match[1]) * million + Number((match[2] ?? '').padEnd(6, '0'))
}
