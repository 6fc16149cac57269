import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { TransientMap } from '../../core/transient-map.ts'
import { neverAborted } from '../../core/waiting.ts'

/**
 * Longest wait of a request that runs no model, from its arrival and without the time that its body took. Several stores may each use up
 * their own limit, and the answer must come within eight seconds; the remaining two are for a slow machine.
 */
export const answerLimitMs = 6000
/** One periodic check of all waiting requests costs less than a timer for each. */
const checkIntervalMs = 250

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Arrival of the request by the steady time of the clock, plus the time that its body took. A field, because a WeakMap of replies slows down
     * every garbage collection.
     */
    arrivedAt?: number
  }
}

type AnsweredRequest = Pick<FastifyReply, 'elapsedTime' | 'request' | 'arrivedAt' | 'sent'>

interface Waiting {
  readonly reply: AnsweredRequest
  readonly giveUp: (reason: Error) => void
}

/** Gives up on answers that take too long. */
export class AnswerDeadline {
  readonly #clock: Clock
  /** Waiting requests by the end of their time. */
  readonly #waiting = new TransientMap<{ readonly until: number }, Waiting>()
  #looking = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Excludes the time that the client takes to send the body. Call it before the body is read. */
  leaveOutBody(reply: AnsweredRequest): void {
    const clock = this.#clock
    const from = clock.steadyNow()
    reply.request.raw.once('end', () => {
      reply.arrivedAt = arrivalOf(reply, clock) + clock.steadyNow() - from
    })
  }

  /**
   * Resolves with the result of `work` if it is ready in time. Late work continues, but its result is dropped; after the deadline nothing
   * starts. An answer that has begun is never given up.
   *
   * @param requestedMs Additional time that the client agreed to wait.
   * @throws {ServiceError} `server_is_overloaded` after the deadline.
   */
  keep<Result>(reply: AnsweredRequest, work: () => Promise<Result> | Result, requestedMs = 0): Promise<Result> | Result {
    const clock = this.#clock
    const until = arrivalOf(reply, clock) + answerLimitMs + requestedMs
    if (until <= clock.steadyNow()) return Promise.reject(tooLate())
    const result = work()
    if (!(result instanceof Promise)) return result
    // A race, or `finally`, would keep more per request for the garbage collector.
    return new Promise((resolve, giveUp) => {
      const time = { until }
      this.#waiting.set(time, { reply, giveUp })
      if (!this.#looking) void this.#look(clock)
      result.then(
        (value) => {
          this.#waiting.delete(time)
          resolve(value)
        },
        (error) => {
          this.#waiting.delete(time)
          giveUp(error)
        },
      )
    })
  }

  async #look(clock: Clock): Promise<void> {
    this.#looking = true
    while (this.#waiting.size > 0) {
      await clock.wait(checkIntervalMs, neverAborted)
      const now = clock.steadyNow()
      for (const [time, { reply, giveUp }] of this.#waiting) {
        if (time.until > now) continue
        this.#waiting.delete(time)
        if (!reply.sent) giveUp(tooLate())
      }
    }
    this.#looking = false
  }
}

function arrivalOf(reply: AnsweredRequest, clock: Clock): number {
  reply.arrivedAt ??= clock.steadyNow() - reply.elapsedTime
  return reply.arrivedAt
}

function tooLate(): ServiceError {
  return new ServiceError('server_is_overloaded', 'The database did not respond in time; try again later.', { retryAfterSeconds: 2 })
}
