import { leftOf } from '../core/limits/budget.ts'
import type { BudgetHolder } from '../core/ports/budget-ledger.ts'
import { neverAborted } from '../core/waiting.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

/** The ledger is asked no more often than this whether there is room again. */
const checkMs = 200
/** After this long what was put back can be claimed anyway. */
const retentionMs = 10_000

/** What was put back because its account or token runs as much at once as it may: it returns as soon as something of theirs has ended. */
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

  /** Called when it is claimed again: what it waits for after that is another matter. */
  forget(id: string): void {
    this.#parked.delete(id)
  }

  /** Lets as many be claimed as there is room for now, the oldest first. */
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

/** Wait between two tries to write. */
const pauseMs = 1000
/** How long a write is tried; a fault that stays keeps no place of the worker taken for ever. */
const patienceMs = 60_000

/**
 * Writes again and again until it works, because a finished result is worth waiting for a disk that is full for a
 * moment; gives up when the signal aborts.
 *
 * @throws what the write threw the last time, after a minute.
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
      if (waitedMs >= patienceMs) throw error
      await clock.wait(pauseMs, { signal })
    }
  }
}

/** Why a worker stops an inference in the middle, as the reason of the signal it aborts. */
export class Interruption extends Error {
  readonly kind: 'drain' | 'lost' | 'cancelled'

  constructor(kind: Interruption['kind']) {
    super(`The work was interrupted: ${kind}.`)
    this.name = 'Interruption'
    this.kind = kind
  }
}
