import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { formatReset } from './format-reset.ts'

const windowMs = 60_000

/** Whose requests are counted, and how many of them a minute may have. */
export interface RatedSubject {
  readonly of: 'account' | 'token'
  readonly id: string
  readonly limit: number
}

const withWhat = { account: '', token: ' with this access token' } as const

/** Counts requests per account and per token in windows of one minute. */
export class RateLimiter {
  readonly #clock: Clock
  #window = 0
  #counts = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts one request for each subject and sets the `x-ratelimit-*` headers, which every answer carries then, to those of the one with the least left.
   *
   * @throws {ServiceError} `rate_limit_exceeded` when a subject's minute is used up.
   */
  count(subjects: readonly RatedSubject[], reply: FastifyReply): void {
    const now = this.#clock.now()
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) this.#counts = new Map()
    this.#window = window
    const counted = subjects.map((subject) => ({ ...subject, left: subject.limit - this.#add(subject) }))
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
      `Send at most ${limit} requests a minute${withWhat[of]}; none are left, try again in ${seconds} seconds.`,
      { retryAfterSeconds: seconds },
    )
  }

  #add({ of, id }: RatedSubject): number {
    const key = `${of} ${id}`
    const used = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, used)
    return used
  }
}
