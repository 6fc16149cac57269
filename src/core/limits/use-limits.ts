/** How much an account or an access token may use; null = no limit of its own. Minutes, days and calendar months are those of UTC. */
export interface UseLimits {
  /** Of an account: null = as many as the service allows everybody. */
  readonly requestsPerMinute: number | null
  /** Tokens read and written. */
  readonly tokensPerMinute: number | null
  readonly imagesPerMinute: number | null
  /** Requests in work at once, whether somebody waits for them or not. */
  readonly concurrentRequests: number | null
  readonly tokensPerDay: number | null
  readonly imagesPerDay: number | null
  /** In millionths of the unit that prices are in. */
  readonly moneyPerDay: number | null
  readonly tokensPerMonth: number | null
  readonly imagesPerMonth: number | null
  /** In millionths of the unit that prices are in. */
  readonly moneyPerMonth: number | null
}

/** The whole numbers that each limit may be. */
export const limitRanges: Readonly<Record<keyof UseLimits, { readonly least: number; readonly most: number }>> = {
  requestsPerMinute: { least: 1, most: 1_000_000 },
  tokensPerMinute: { least: 0, most: 1_000_000_000_000 },
  imagesPerMinute: { least: 0, most: 1_000_000_000 },
  concurrentRequests: { least: 1, most: 1_000_000 },
  tokensPerDay: { least: 0, most: 1_000_000_000_000 },
  imagesPerDay: { least: 0, most: 1_000_000_000 },
  moneyPerDay: { least: 0, most: 1_000_000_000_000_000 },
  tokensPerMonth: { least: 0, most: 1_000_000_000_000 },
  imagesPerMonth: { least: 0, most: 1_000_000_000 },
  moneyPerMonth: { least: 0, most: 1_000_000_000_000_000 },
}

/** What a new account or token starts with. */
export const noLimits: UseLimits = {
  requestsPerMinute: null,
  tokensPerMinute: null,
  imagesPerMinute: null,
  concurrentRequests: null,
  tokensPerDay: null,
  imagesPerDay: null,
  moneyPerDay: null,
  tokensPerMonth: null,
  imagesPerMonth: null,
  moneyPerMonth: null,
}

/** Whether anything at all is limited. */
export function isLimited(limits: UseLimits): boolean {
  return Object.values(limits).some((limit) => limit !== null)
}
