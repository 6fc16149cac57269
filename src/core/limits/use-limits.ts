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

/** What an owner sets of an account: how much it may use, what it may hold, and how it is served beside others. */
export interface AccountLimits extends UseLimits {
  /** How many turns it gets for one of an account of weight 1; null = 1. */
  readonly weight: number | null
  /** Deferred requests that wait; null = its share of the queue. */
  readonly pendingRequests: number | null
  /** Streams open at once on one node; null = as many as the service allows everybody. */
  readonly openStreams: number | null
  /** Bytes of deferred requests and outputs; null = as many as the service allows everybody. */
  readonly storedBytes: number | null
}

/** The whole numbers that each limit may be. */
export const limitRanges: Readonly<Record<keyof AccountLimits, { readonly least: number; readonly most: number }>> = {
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
  weight: { least: 1, most: 100 },
  pendingRequests: { least: 0, most: 1_000_000 },
  openStreams: { least: 0, most: 1_000_000 },
  storedBytes: { least: 0, most: 1_000_000_000_000_000 },
}

/** What a new token starts with. */
export const noUseLimits: UseLimits = {
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

/** What a new account starts with. */
export const noLimits: AccountLimits = { ...noUseLimits, weight: null, pendingRequests: null, openStreams: null, storedBytes: null }
