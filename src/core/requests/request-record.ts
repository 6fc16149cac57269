import { beginning } from '../text/visible-text.ts'
import type { UsageEntry } from '../usage.ts'

/** What was asked of the service, and what came of it: kept a while so that people find their requests again. */
export interface RequestRecord {
  /** Of an asynchronous request, its own; otherwise the one that answers carry, which callers may choose. */
  readonly id: string
  readonly accountId: string
  /** null = it came from the console. */
  readonly tokenId: string | null
  readonly kind: UsageEntry['kind']
  readonly model: string
  /** When it was asked for, in Unix milliseconds. */
  readonly at: number
  /** What was asked, where it was asked asynchronously; null = it is not kept, or no longer. */
  readonly requested: RequestedWork | null
  /** What came of it, where the caller waited; asynchronous requests tell it themselves. */
  readonly result: RequestResult | null
}

/** The words of an asynchronous request. */
export interface RequestedWork {
  /** The beginning of the prompt or of the last message. */
  readonly excerpt: string
  /** The path and the JSON body that ask for it again, as JSON; null = it is too large to be kept. */
  readonly call: string | null
}

/** What a request took that its caller waited for. */
export interface RequestResult
  extends Pick<UsageEntry, 'outcome' | 'promptTokens' | 'completionTokens' | 'images' | 'durationMs' | 'firstTokenMs'> {}

/** Characters of an excerpt: prompts are found by them too. */
export const longestExcerpt = 1000
/** Characters of a call. */
export const longestCall = 16_384
/** How long the words are kept, longer than any output. */
export const requestedRetentionMs = 48 * 60 * 60 * 1000
/** How long the rest is kept. */
export const requestRetentionMs = 8 * 24 * 60 * 60 * 1000

const longest = 100

/** A name that a client made up, short enough to be sent back in a sentence. */
export function shortName(name: string): string {
  if (name.length <= longest) return name
  const short = beginning(name.slice(0, 2 * longest), longest)
  return short === name ? name : `${short}…`
}
