import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { neverAborted } from '../../core/waiting.ts'

const windowMs = 60_000

/** An account or token and its limit of requests per minute. */
export interface RatedSubject {
  readonly of: 'account' | 'token'
  readonly id: string
  readonly limit: number
}

const withWhat = { account: '', token: ' with this access token' } as const

/** Counts requests per account and per token in windows of one minute, together with every other process on the same store. */
export class RateLimiter {
  readonly #clock: Clock
  readonly #counts: SharedCounts
  #window = 0
  #shares = new Map<string, MinuteShare>()

  constructor({ clock, counts }: { readonly clock: Clock; readonly counts: SharedCounts }) {
    this.#clock = clock
    this.#counts = counts
  }

  /**
   * Counts one request for each subject and sets the `x-ratelimit-*` headers to the values of the subject with the fewest left.
   *
   * @throws {ServiceError} `rate_limit_exceeded` when a subject's minute is used up.
   */
  async count(subjects: readonly RatedSubject[], reply: FastifyReply): Promise<void> {
    const now = this.#clock.now()
    const window = Math.floor(now / windowMs)
    const counted = await Promise.all(subjects.map(async (subject) => ({ ...subject, left: await this.#shareOf(subject, window).use() })))
    const [tightest] = counted.toSorted((one, other) => one.left - other.left)
    if (tightest === undefined) return
    const { of, limit, left } = tightest
    const untilReset = (window + 1) * windowMs - now
    reply.header('x-ratelimit-limit-requests', String(limit))
    reply.header('x-ratelimit-remaining-requests', String(Math.max(0, left)))
    reply.header('x-ratelimit-reset-requests', formatReset(untilReset))
    if (left >= 0) return
    const seconds = Math.ceil(untilReset / 1000)
    throw new ServiceError(
      'rate_limit_exceeded',
      `Send at most ${limit} requests a minute${withWhat[of]}; try again in ${seconds} seconds.`,
      { retryAfterSeconds: seconds },
    )
  }

  #shareOf({ of, id, limit }: RatedSubject, window: number): MinuteShare {
    if (window !== this.#window) this.#shares = new Map()
    this.#window = window
    const subject = `${of} ${id}`
    const known = this.#shares.get(subject)
    if (known?.limit === limit) return known
    const share = new MinuteShare(this.#counts, { subject, minute: window, limit })
    this.#shares.set(subject, share)
    return share
  }
}

/** A length of time as OpenAI's `x-ratelimit-reset-*` headers have it, such as `45s` or `6m0s`; whole seconds, rounded up. */
export function formatReset(ms: number): string {
  const all = Math.max(0, Math.ceil(ms / 1000))
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60]
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`
}

/**
 * Share of a subject's minute that a process reserves at once. It is small, so that unused requests hardly reduce the limit of the others.
 */
const shareOfMinute = 0.05

/** A process's share of a subject's minute. It is reserved in parts and handed out one request at a time. */
class MinuteShare {
  readonly #counts: SharedCounts
  readonly #place: { readonly subject: string; readonly minute: number; readonly limit: number }
  #held = 0
  /** The rest of the minute when this process last reserved some. */
  #left = 0
  #over = false
  #taking: Promise<void> | null = null

  constructor(counts: SharedCounts, place: { readonly subject: string; readonly minute: number; readonly limit: number }) {
    this.#counts = counts
    this.#place = place
  }

  get limit(): number {
    return this.#place.limit
  }

  /**
   * Uses one request.
   *
   * @returns The number left afterwards; −1 when there was none left.
   */
  async use(): Promise<number> {
    while (this.#held === 0) {
      if (this.#over) return -1
      this.#taking ??= this.#take().finally(() => {
        this.#taking = null
      })
      await this.#taking
    }
    this.#held -= 1
    return this.#held + this.#left
  }

  async #take(): Promise<void> {
    const wanted = Math.max(1, Math.floor(this.#place.limit * shareOfMinute))
    const { granted, left } = await this.#counts.takeOfMinute({ ...this.#place, wanted }, neverAborted)
    this.#held += granted
    this.#left = left
    this.#over = granted === 0
  }
}
