import { formatMoney, parseMoney } from './model-price.ts'
import { type AccountLimits, limitRanges, noLimits, noUseLimits, type UseLimits } from './use-limits.ts'

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
