import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { unstoppable } from '../../core/waiting.ts'

/**
 * How long whoever asks for anything but a model's work waits at most, counted from the arrival of the request. What each store may take adds up, and
 * the answer must have come within eight seconds.
 */
export const answerLimitMs = 7000
/** One look at all that wait costs less than a timer for each. */
const lookEveryMs = 250

interface Waiting {
  readonly until: number
  readonly giveUp: (reason: Error) => void
}

/** Gives up on answers that take too long. */
export class AnswerDeadline {
  readonly #clock: Clock | null
  readonly #waiting = new Set<Waiting>()
  #looking = false

  /** @param clock null = there is none. */
  constructor(clock: Clock | null) {
    this.#clock = clock
  }

  /**
   * What `work` resolves with, as long as it does so in time; when it is late it goes on unheard.
   *
   * @throws {ServiceError} `server_is_overloaded`.
   */
  async keep<Result>(reply: Pick<FastifyReply, 'elapsedTime'>, work: () => Promise<Result>): Promise<Result> {
    const clock = this.#clock
    if (clock === null) return work()
    const { promise: late, reject: giveUp } = Promise.withResolvers<never>()
    const waiting = { until: clock.now() + answerLimitMs - reply.elapsedTime, giveUp }
    this.#waiting.add(waiting)
    if (!this.#looking) void this.#look(clock)
    try {
      return await Promise.race([work(), late])
    } finally {
      this.#waiting.delete(waiting)
    }
  }

  async #look(clock: Clock): Promise<void> {
    this.#looking = true
    while (this.#waiting.size > 0) {
      await clock.wait(lookEveryMs, unstoppable)
      const now = clock.now()
      for (const { until, giveUp } of this.#waiting) if (until <= now) giveUp(tooLate())
    }
    this.#looking = false
  }
}

function tooLate(): ServiceError {
  return new ServiceError('server_is_overloaded', 'What the service keeps its data in takes too long to answer; try again later.', {
    retryAfterSeconds: 2,
  })
}
