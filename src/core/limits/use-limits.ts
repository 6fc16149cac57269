import { formatMoney, parseMoney } from './model-price.ts'

/** Limits of an account or access token; null = none of its own. Minutes, days and months are UTC. */
export interface UseLimits {
  /** For an account, null = the service-wide default. */
  readonly requestsPerMinute: number | null
  /** Prompt and generated tokens. */
  readonly tokensPerMinute: number | null
  readonly imagesPerMinute: number | null
  /** Requests in progress at once, synchronous or asynchronous. */
  readonly concurrentRequests: number | null
  readonly tokensPerDay: number | null
  readonly imagesPerDay: number | null
  /** In millionths of the price unit. */
  readonly moneyPerDay: number | null
  readonly tokensPerMonth: number | null
  readonly imagesPerMonth: number | null
  /** In millionths of the price unit. */
  readonly moneyPerMonth: number | null
}

/** Limits of an account set by an owner: use, storage, and weight relative to others. */
export interface AccountLimits extends UseLimits {
  /** Turns in queues for each turn of an account of weight 1; null = 1. */
  readonly weight: number | null
  /** Waiting asynchronous requests; null = its share of the queue. */
  readonly pendingRequests: number | null
  /** Open streams per node; null = the service-wide default. */
  readonly openStreams: number | null
  /** Bytes of asynchronous requests and outputs; null = the service-wide default. */
  readonly storedBytes: number | null
}

/** Range of each limit, in whole numbers. */
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

/** Limits of a new token. */
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

/** Limits of a new account. */
export const noLimits: AccountLimits = { ...noUseLimits, weight: null, pendingRequests: null, openStreams: null, storedBytes: null }

/** Whether given limits differ from the current ones; absent ones stay as they are. */
export function changesLimits(before: Partial<AccountLimits>, given: Partial<AccountLimits>): boolean {
  return limitNames.some((name) => given[name] !== undefined && given[name] !== before[name])
}

/** Texts for one limit. */
interface LimitWords {
  /** Label of its field. */
  readonly label: string
  readonly noun: 'request' | 'token' | 'image' | 'money' | 'turn' | 'waiting request' | 'open stream' | 'byte'
  /** Period of the limit; null = at any time. */
  readonly per: 'min' | 'day' | 'month' | null
  /** Help text for the command line. */
  readonly help: string
}

/** Texts of the limits, in display order. */
export const limitWords: Readonly<Record<keyof AccountLimits, LimitWords>> = {
  requestsPerMinute: {
    label: 'Requests a minute',
    noun: 'request',
    per: 'min',
    help: 'Requests per minute. For an account, it replaces the setting of the same name; none restores that setting.',
  },
  tokensPerMinute: { label: 'Tokens a minute', noun: 'token', per: 'min', help: 'Prompt and answer tokens per minute.' },
  imagesPerMinute: { label: 'Images a minute', noun: 'image', per: 'min', help: 'Images per minute.' },
  concurrentRequests: {
    label: 'Requests at once',
    noun: 'request',
    per: null,
    help: 'Requests running at once, including asynchronous ones.',
  },
  tokensPerDay: { label: 'Tokens a day', noun: 'token', per: 'day', help: 'Prompt and answer tokens per UTC day.' },
  imagesPerDay: { label: 'Images a day', noun: 'image', per: 'day', help: 'Images per UTC day.' },
  moneyPerDay: { label: 'Money a day', noun: 'money', per: 'day', help: 'Money per UTC day, such as 2.50, at the prices in model.json.' },
  tokensPerMonth: { label: 'Tokens a month', noun: 'token', per: 'month', help: 'Prompt and answer tokens per UTC calendar month.' },
  imagesPerMonth: { label: 'Images a month', noun: 'image', per: 'month', help: 'Images per UTC calendar month.' },
  moneyPerMonth: { label: 'Money a month', noun: 'money', per: 'month', help: 'Money per UTC calendar month, such as 50.' },
  weight: { label: 'Weight', noun: 'turn', per: null, help: 'Weight in queues compared with other accounts, 1 to 100; none means 1.' },
  pendingRequests: {
    label: 'Waiting requests',
    noun: 'waiting request',
    per: null,
    help: 'Waiting asynchronous requests; replaces the share of the queue.',
  },
  openStreams: { label: 'Open streams', noun: 'open stream', per: null, help: 'Open streams; replaces the setting account-streams.' },
  storedBytes: {
    label: 'Stored bytes',
    noun: 'byte',
    per: null,
    help: 'Bytes of asynchronous requests and outputs; replaces account-storage.',
  },
}

/** Names of the limits that tokens have. */
export const useLimitNames = Object.keys(noUseLimits).filter((name): name is keyof UseLimits => name in noUseLimits)
/** Names of all limits of an account. */
export const limitNames = Object.keys(noLimits).filter((name): name is keyof AccountLimits => name in noLimits)

/** Parses a limit as typed, with optional thousands separators and, for money, up to six decimals; null = invalid or out of range. */
export function parseLimit(name: keyof AccountLimits, text: string): number | null {
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text.trim()) ? text.replaceAll(',', '') : text
  const value = limitWords[name].noun === 'money' ? parseMoney(plain) : /^\d{1,16}$/.test(plain.trim()) ? Number(plain) : null
  const { least, most } = limitRanges[name]
  return value === null || value < least || value > most ? null : value
}

/** Formats a limit for {@link parseLimit}. */
export function formatLimit(name: keyof AccountLimits, value: number): string {
  return limitWords[name].noun === 'money' ? formatMoney(value) : String(value)
}

/** The input {@link parseLimit} accepts, completing "expected …". */
export function expectedLimit(name: keyof AccountLimits): string {
  const { least, most } = limitRanges[name]
  return limitWords[name].noun === 'money'
    ? `an amount from ${least} to ${(most / 1_000_000).toLocaleString('en')} with at most six decimals`
    : `a whole number from ${least} to ${most.toLocaleString('en')}`
}
