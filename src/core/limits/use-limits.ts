import { formatMoney, parseMoney } from './model-price.ts'

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

/** A limit as people name it. */
interface LimitWords {
  /** As a field is labelled. */
  readonly label: string
  readonly noun: 'request' | 'token' | 'image' | 'money' | 'turn' | 'waiting request' | 'open stream' | 'byte'
  /** What the amount is counted over; null = at once. */
  readonly per: 'min' | 'day' | 'month' | null
  /** One sentence for the command line. */
  readonly help: string
}

/** What each limit is called, in the order in which they are shown. */
export const limitWords: Readonly<Record<keyof AccountLimits, LimitWords>> = {
  requestsPerMinute: {
    label: 'Requests a minute',
    noun: 'request',
    per: 'min',
    help: 'For an account: replaces the setting of the same name; none returns to it.',
  },
  tokensPerMinute: { label: 'Tokens a minute', noun: 'token', per: 'min', help: 'Tokens read and written per minute.' },
  imagesPerMinute: { label: 'Images a minute', noun: 'image', per: 'min', help: 'Images per minute.' },
  concurrentRequests: {
    label: 'Requests at once',
    noun: 'request',
    per: null,
    help: 'Requests running at once, including asynchronous ones.',
  },
  tokensPerDay: { label: 'Tokens a day', noun: 'token', per: 'day', help: 'Tokens read and written per UTC day.' },
  imagesPerDay: { label: 'Images a day', noun: 'image', per: 'day', help: 'Images per UTC day.' },
  moneyPerDay: { label: 'Money a day', noun: 'money', per: 'day', help: 'Money per UTC day, such as 2.50, at the prices in model.json.' },
  tokensPerMonth: { label: 'Tokens a month', noun: 'token', per: 'month', help: 'Tokens read and written per calendar month of UTC.' },
  imagesPerMonth: { label: 'Images a month', noun: 'image', per: 'month', help: 'Images per calendar month of UTC.' },
  moneyPerMonth: { label: 'Money a month', noun: 'money', per: 'month', help: 'Money per calendar month of UTC, such as 50.' },
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

/** The limits that tokens have, by their names. */
export const useLimitNames = Object.keys(noUseLimits).filter((name): name is keyof UseLimits => name in noUseLimits)
/** Every limit of an account by its name. */
export const limitNames = Object.keys(noLimits).filter((name): name is keyof AccountLimits => name in noLimits)

/** What somebody typed for a limit, with or without commas between thousands, money with up to six decimals; null when it is none, or out of range. */
export function parseLimit(name: keyof AccountLimits, text: string): number | null {
  const plain = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text.trim()) ? text.replaceAll(',', '') : text
  const value = limitWords[name].noun === 'money' ? parseMoney(plain) : /^\d{1,16}$/.test(plain.trim()) ? Number(plain) : null
  const { least, most } = limitRanges[name]
  return value === null || value < least || value > most ? null : value
}

/** A limit's value as {@link parseLimit} reads it again. */
export function formatLimit(name: keyof AccountLimits, value: number): string {
  return limitWords[name].noun === 'money' ? formatMoney(value) : String(value)
}

/** What {@link parseLimit} takes, completing the sentence "expected …". */
export function expectedLimit(name: keyof AccountLimits): string {
  const { least, most } = limitRanges[name]
  return limitWords[name].noun === 'money'
    ? `an amount from ${least} to ${(most / 1_000_000).toLocaleString('en')} with at most six decimals`
    : `a whole number from ${least} to ${most.toLocaleString('en')}`
}

/** Answers to come (1xx) that a server may send before its own: each costs time, and without end they would take all there is. */
const mostInterim = 20

/** Why a request ended whose server sent answers to come, and none of its own. */
export const noOwnAnswer = new Error('The server sent interim responses and no final one.')

/** Ends a request, with {@link noOwnAnswer}, whose server sends answers to come without end. */
export function limitInterim(request: { on(event: 'information', listener: () => void): unknown; destroy(reason: Error): unknown }): void {
  let interim = 0
  request.on('information', () => {
    interim += 1
    if (interim > mostInterim) request.destroy(noOwnAnswer)
  })
}
