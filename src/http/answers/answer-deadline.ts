import type { FastifyReply } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import { neverAborted } from '../../core/waiting.ts'

/**
 * How long a request for anything but a model's work waits at most, from the arrival of the request and without the time that its body took. What
 * each store may take adds up, and the answer must have come within eight seconds: the rest is for a machine that is late with everything.
 */
export const answerLimitMs = 6000
/** One look at all that wait costs less than a timer for each. */
const lookEveryMs = 250

declare module 'fastify' {
  interface FastifyReply {
    /** When its request came, the time of its body left out. A field, because a weak map of replies costs every collection of garbage. */
    cameAt?: number
  }
}

type AnsweredRequest = Pick<FastifyReply, 'elapsedTime' | 'request' | 'cameAt' | 'sent'>

interface Waiting {
  readonly reply: AnsweredRequest
  readonly until: number
  readonly giveUp: (reason: Error) => void
}

/** Gives up on answers that take too long. */
export class AnswerDeadline {
  readonly #clock: Clock
  readonly #waiting = new Set<Waiting>()
  #looking = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Leaves out what the client takes for its body; to be called before that is read. */
  leaveOutBody(reply: AnsweredRequest): void {
    const clock = this.#clock
    const from = clock.now()
    reply.request.raw.once('end', () => {
      reply.cameAt = arrivalOf(reply, clock) + clock.now() - from
    })
  }

  /**
   * What `work` resolves with, as long as it does so in time; when it is late it goes on unheard, and nothing is begun too late. An answer that has
   * begun is never given up.
   *
   * @param requestedMs What the client said that it would wait for.
   * @throws {ServiceError} `server_is_overloaded`.
   */
  async keep<Result>(reply: AnsweredRequest, work: () => Promise<Result>, requestedMs = 0): Promise<Result> {
    const clock = this.#clock
    const { promise: late, reject: giveUp } = Promise.withResolvers<never>()
    const waiting = { reply, until: arrivalOf(reply, clock) + answerLimitMs + requestedMs, giveUp }
    if (waiting.until <= clock.now()) throw tooLate()
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
      await clock.wait(lookEveryMs, neverAborted)
      const now = clock.now()
      for (const waiting of this.#waiting) {
        const { reply, until, giveUp } = waiting
        if (until > now) continue
        this.#waiting.delete(waiting)
        if (!reply.sent) giveUp(tooLate())
      }
    }
    this.#looking = false
  }
}

function arrivalOf(reply: AnsweredRequest, clock: Clock): number {
  reply.cameAt ??= clock.now() - reply.elapsedTime
  return reply.cameAt
}

function tooLate(): ServiceError {
  return new ServiceError('server_is_overloaded', 'The database did not respond in time; try again later.', {
    retryAfterSeconds: 2,
  })
}
