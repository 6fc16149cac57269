import { ServiceError } from '../../core/error.ts'
import { keepNewest } from '../../core/keep-newest.ts'
import type { Clock } from '../../core/ports/clock.ts'

const longestPauseMs = 5 * 60 * 1000
const rememberedMs = 60 * 60 * 1000
const maxKeys = 10_000

/** A key under which failures are counted, and the number of free failures. */
export interface ThrottleKey {
  readonly name: string
  readonly free: number
  /** Whether one success clears all earlier failures; otherwise it only does not count itself. */
  readonly forgiving: boolean
}

/** One guess, which counts as failed until it is reported as successful. */
export interface Attempt {
  succeeded(): void
}

interface Failures {
  readonly count: number
  readonly last: number
}

/** Slows down guessing: after the free failures, each further one doubles the pause, up to five minutes. */
export class SignInThrottle {
  readonly #clock: Clock
  readonly #failures = new Map<string, Failures>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Begins a guess. It counts at once, so that concurrent guesses count like consecutive ones.
   *
   * @throws {ServiceError} `rate_limit_exceeded` during a pause; refused guesses do not count.
   */
  begin(keys: readonly ThrottleKey[]): Attempt {
    this.#refuseDuringPause(keys)
    for (const { name } of keys) this.#count(name)
    return {
      succeeded: () => {
        for (const key of keys) this.#forgive(key)
      },
    }
  }

  #refuseDuringPause(keys: readonly ThrottleKey[]): void {
    const leftMs = Math.max(...keys.map((key) => this.#leftMs(key)))
    if (leftMs <= 0) return
    const seconds = Math.ceil(leftMs / 1000)
    throw new ServiceError('rate_limit_exceeded', `Too many failed attempts; try again in ${seconds} seconds.`, {
      retryAfterSeconds: seconds,
    })
  }

  #count(name: string): void {
    const count = (this.#recent(name)?.count ?? 0) + 1
    keepNewest(this.#failures, name, { count, last: this.#clock.steadyNow() }, maxKeys)
  }

  #forgive({ name, forgiving }: ThrottleKey): void {
    const failures = this.#failures.get(name)
    if (forgiving || failures === undefined || failures.count === 1) this.#failures.delete(name)
    else this.#failures.set(name, { ...failures, count: failures.count - 1 })
  }

  #leftMs({ name, free }: ThrottleKey): number {
    const failures = this.#recent(name)
    if (failures === undefined || failures.count < free) return 0
    const pauseMs = Math.min(longestPauseMs, 1000 * 2 ** Math.min(20, failures.count - free))
    return failures.last + pauseMs - this.#clock.steadyNow()
  }

  #recent(name: string): Failures | undefined {
    const failures = this.#failures.get(name)
    return failures !== undefined && this.#clock.steadyNow() - failures.last < rememberedMs ? failures : undefined
  }
}
