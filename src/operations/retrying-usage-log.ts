import { ServiceError } from '../core/error.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { BookingOptions, UsageBooks } from '../core/ports/usage-log.ts'
import type { UsageEntry } from '../core/usage.ts'
import { neverAborted } from '../core/waiting.ts'

const pauseMs = 1000

interface Waiting {
  readonly entry: UsageEntry
  readonly options: BookingOptions
  readonly booked: PromiseWithResolvers<void>
}

/**
 * Records usage with retries after the answer was sent, because a full disk or an unavailable database is often temporary and the usage
 * must be counted. Waiting entries are only in memory, and one of them probes for all. Their number is limited by the requests that run when
 * writing begins to fail, because no others start until all entries are recorded.
 */
export class RetryingUsageLog implements UsageBooks, AsyncDisposable {
  readonly #log: UsageBooks
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #closing = new AbortController()
  #waiting: Waiting[] = []
  #trying: Promise<void> | null = null

  /** @param options.onFault Called with each failed attempt that will be repeated. */
  constructor(log: UsageBooks, { clock, onFault }: { readonly clock: Clock; readonly onFault: (error: unknown) => void }) {
    this.#log = log
    this.#clock = clock
    this.#onFault = onFault
  }

  get owed(): number {
    return this.#waiting.length
  }

  /** Resolves when the entry is recorded. */
  async append(entry: UsageEntry, options: Parameters<UsageBooks['append']>[1]): Promise<void> {
    try {
      await this.#log.append(entry, options)
    } catch (error) {
      if (!passes(error)) throw error
      this.#onFault(error)
      const booked = Promise.withResolvers<void>()
      this.#waiting.push({ entry, options, booked })
      this.#trying ??= this.#tryAgain()
      await booked.promise
    }
  }

  /** Tries once more without delay and drops what still fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#trying
  }

  async #tryAgain(): Promise<void> {
    const { signal } = this.#closing
    while (this.#waiting.length > 0) {
      const isLast = signal.aborted || !(await this.#paused(signal))
      try {
        await this.#bookAll()
      } catch (error) {
        if (isLast) this.#giveUp(error)
        else this.#onFault(error)
      }
    }
    // In the same turn as the check above, so that no entry waits without another attempt.
    this.#trying = null
  }

  async #paused(signal: AbortSignal): Promise<boolean> {
    return this.#clock.wait(pauseMs, { signal }).then(
      () => true,
      () => false,
    )
  }

  /** @throws The error that prevents recording. */
  async #bookAll(): Promise<void> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const { entry, options, booked } = first
      try {
        await this.#log.append(entry, { ...options, ...neverAborted })
        booked.resolve()
      } catch (error) {
        if (passes(error)) throw error
        booked.reject(error)
      }
      this.#waiting.shift()
    }
  }

  #giveUp(error: unknown): void {
    for (const { booked } of this.#waiting.splice(0)) booked.reject(error)
  }
}

function passes(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'server_is_overloaded'
}
