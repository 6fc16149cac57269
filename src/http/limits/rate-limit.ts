import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'

const windowMs = 60_000

/** Counts requests per account in windows of one minute. */
export class RateLimiter {
  readonly #clock: Clock
  #window = 0
  #counts = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Counts one request and sets the `x-ratelimit-*` headers, which every answer carries then.
   *
   * @param limit Requests per minute.
   * @throws {ServiceError} `rate_limit_exceeded` when the account's minute is used up.
   */
  count(accountId: string, limit: number, reply: FastifyReply): void {
    const now = this.#clock.now()
    const window = Math.floor(now / windowMs)
    if (window !== this.#window) this.#counts = new Map()
    this.#window = window
    const used = (this.#counts.get(accountId) ?? 0) + 1
    this.#counts.set(accountId, used)
    const seconds = Math.ceil(((window + 1) * windowMs - now) / 1000)
    reply.header('x-ratelimit-limit-requests', String(limit))
    reply.header('x-ratelimit-remaining-requests', String(Math.max(0, limit - used)))
    reply.header('x-ratelimit-reset-requests', `${seconds}s`)
    if (used <= limit) return
    throw new ServiceError('rate_limit_exceeded', `Send at most ${limit} requests a minute; try again in ${seconds} seconds.`, {
      retryAfterSeconds: seconds,
    })
  }
}
