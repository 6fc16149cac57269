import { ServiceError } from '../core/error.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { UsageLog } from '../core/ports/usage-log.ts'
import type { UsageEntry } from '../core/usage.ts'
import { neverAborted } from '../core/waiting.ts'

/** Entries that wait while the books cannot be written; more are given up at once. */
const mostWaiting = 10_000
const pauseMs = 1000

interface Waiting {
  readonly entry: UsageEntry
  readonly id: string | undefined
  readonly booked: PromiseWithResolvers<void>
}

/**
 * Books work whose caller has its answer already, as soon as the books can be written again: a disk is full, or a database away, for a moment, and what was
 * used must be paid for all the same. What waits is in memory alone, and one entry tries for all.
 */
export class PatientUsageLog implements Pick<UsageLog, 'append'>, AsyncDisposable {
  readonly #log: Pick<UsageLog, 'append'>
  readonly #clock: Clock
  readonly #onFault: (error: unknown) => void
  readonly #closing = new AbortController()
  #waiting: Waiting[] = []
  #trying: Promise<void> | null = null

  /** @param options.onFault Called with each failed attempt that is repeated. */
  constructor(log: Pick<UsageLog, 'append'>, { clock, onFault }: { readonly clock: Clock; readonly onFault: (error: unknown) => void }) {
    this.#log = log
    this.#clock = clock
    this.#onFault = onFault
  }

  /** Resolves when the entry is in the books. */
  async append(entry: UsageEntry, options: Parameters<UsageLog['append']>[1]): Promise<void> {
    try {
      await this.#log.append(entry, options)
    } catch (error) {
      if (!passes(error) || this.#waiting.length >= mostWaiting) throw error
      this.#onFault(error)
      const booked = Promise.withResolvers<void>()
      this.#waiting.push({ entry, id: options.id, booked })
      this.#trying ??= this.#tryAgain().finally(() => {
        this.#trying = null
      })
      await booked.promise
    }
  }

  /** Tries once more without a pause, and gives up what cannot be booked then. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await this.#trying
  }

  async #tryAgain(): Promise<void> {
    const { signal } = this.#closing
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const isLast = signal.aborted || !(await this.#paused(signal))
      try {
        await this.#bookAll()
      } catch (error) {
        if (isLast) return this.#giveUp(error)
        this.#onFault(error)
      }
    }
  }

  async #paused(signal: AbortSignal): Promise<boolean> {
    return this.#clock.wait(pauseMs, { signal }).then(
      () => true,
      () => false,
    )
  }

  /** @throws what keeps the books from being written. */
  async #bookAll(): Promise<void> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const { entry, id, booked } = first
      try {
        await this.#log.append(entry, { ...neverAborted, again: true, ...(id !== undefined && { id }) })
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
