import { leftOf } from '../core/limits/budget.ts'
import type { BudgetHolder } from '../core/ports/budget-ledger.ts'
import { neverAborted } from '../core/waiting.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

/** Minimum interval between checks of the ledger. */
const checkMs = 200
/** Time after which released claims can be claimed anyway. */
const retentionMs = 10_000

/** Claims released because their account or token is at its concurrency limit; they return as soon as other work of theirs has ended. */
export class ParkedClaims {
  readonly #deps: Pick<WorkerDependencies, 'queue' | 'ledger' | 'clock'>
  readonly #parked = new Map<string, BudgetHolder & { readonly since: number }>()
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(deps: Pick<WorkerDependencies, 'queue' | 'ledger' | 'clock'>) {
    this.#deps = deps
  }

  park(id: string, holder: BudgetHolder): void {
    this.#parked.set(id, { ...holder, since: this.#deps.clock.now() })
  }

  /** Call when it is claimed again. */
  forget(id: string): void {
    this.#parked.delete(id)
  }

  /** Makes as many claimable as there is capacity for, oldest first. */
  async hasten(): Promise<void> {
    const { clock, queue } = this.#deps
    const now = clock.now()
    if (this.#parked.size === 0 || now - this.#checkedAt < checkMs) return
    this.#checkedAt = now
    for (const [id, { since }] of this.#parked) if (now - since >= retentionMs) this.#parked.delete(id)
    const holders = Map.groupBy(this.#parked, ([, { accountId, tokenId }]) => JSON.stringify([accountId, tokenId]))
    const ready: string[] = []
    for (const waiting of holders.values()) {
      const [[, holder] = []] = waiting
      if (holder !== undefined) ready.push(...waiting.slice(0, await this.#roomOf(holder)).map(([id]) => id))
    }
    if (ready.length === 0) return
    for (const id of ready) this.#parked.delete(id)
    await queue.hasten(ready, neverAborted)
  }

  async #roomOf({ accountId, tokenId }: BudgetHolder): Promise<number> {
    const budgets = await this.#deps.ledger.budgets({ accountId, tokenId }, neverAborted)
    return Math.min(...budgets.filter(({ unit }) => unit === 'requests').map(leftOf))
  }
}

/** Delay between attempts to write. */
const pauseMs = 1000
/** Time limit for a write, so that a permanent fault does not block the worker. */
const retryLimitMs = 60_000

/**
 * Repeats a write until it succeeds, since a result is worth waiting for a temporarily full disk; gives up when the signal aborts.
 *
 * @throws The last error, after a minute.
 */
export async function persist<Result>(
  { clock, onEvent }: Pick<WorkerDependencies, 'clock' | 'onEvent'>,
  duty: string,
  write: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await write()
    } catch (error) {
      onEvent({ type: 'fault', duty, error })
      if (waitedMs >= retryLimitMs) throw error
      await clock.wait(pauseMs, { signal })
    }
  }
}

/** Why a worker interrupts an inference; the reason of the signal it aborts. */
export class Interruption extends Error {
  readonly kind: 'drain' | 'lost' | 'cancelled'

  constructor(kind: Interruption['kind']) {
    super(`The work was interrupted: ${kind}.`)
    this.name = 'Interruption'
    this.kind = kind
  }
}
