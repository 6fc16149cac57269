import type { BudgetHolder } from '../core/ports/budget-ledger.ts'
import type { Claim, Hold, ModelRoom } from '../core/ports/inference-queue.ts'
import { firstOf, neverAborted } from '../core/waiting.ts'
import { LiveClaims } from './live-claims.ts'
import { Interruption, ParkedClaims } from './parked-claims.ts'
import { runClaim } from './run-claim.ts'
import type { WorkerDependencies, WorkerSettings } from './worker-dependencies.ts'

/** Maximum interval between checks for work, for slots and delays that end without a notification. */
const pollMs = 250
/** The interval when no slot is awaited and no work has run for a while: each check makes garbage, of which an idle service makes little. */
const idlePollMs = 1000
const idleAfterMs = 60_000
/** Time for which work is left to another node that has the model loaded, before it is loaded here too. */
const elsewhereMs = 2000

export interface Worker extends AsyncDisposable {
  /** Stops claiming, requeues running work at once, and releases all waiting callers. */
  drain(): Promise<void>
  /** Claims held now, even if their leases have expired: a paused process is not dead. */
  holds(): readonly Hold[]
}

/** Starts claiming deferred inferences and running them on models with free capacity. */
export function startWorker(deps: WorkerDependencies, settings: WorkerSettings): Worker {
  const worker = new ClaimLoop(deps, settings)
  const looping = worker.loop()
  const drain = async () => {
    worker.stop()
    await looping
    await worker.finished()
    deps.events.close()
  }
  return { drain, holds: () => worker.holds(), [Symbol.asyncDispose]: drain }
}

interface Run {
  readonly model: string
  /** It killed an engine before, so it runs alone on its model. */
  readonly suspect: boolean
  /** Its work is not loaded yet, so it has no slot. */
  loading: boolean
  readonly ended: Promise<void>
}

class ClaimLoop {
  readonly #deps: WorkerDependencies
  readonly #settings: WorkerSettings
  readonly #draining = new AbortController()
  readonly #runs = new Set<Run>()
  readonly #claims: LiveClaims
  readonly #parked: ParkedClaims
  #slotFreed = Promise.withResolvers<void>()
  #ranAt = Number.NEGATIVE_INFINITY
  /** Whether every model has room for work as soon as it arrives. */
  #hasAllRooms = false

  constructor(deps: WorkerDependencies, settings: WorkerSettings) {
    this.#deps = deps
    this.#settings = settings
    this.#claims = new LiveClaims(deps, settings)
    this.#parked = new ParkedClaims(deps)
  }

  stop(): void {
    this.#draining.abort(new Interruption('drain'))
  }

  async finished(): Promise<void> {
    await Promise.all([...this.#runs].map(({ ended }) => ended))
    this.#claims[Symbol.dispose]()
  }

  holds(): readonly Hold[] {
    return this.#claims.holds()
  }

  async loop(): Promise<void> {
    const { signal } = this.#draining
    while (!signal.aborted) {
      // Created before checking, so that a slot freed meanwhile is noticed.
      this.#slotFreed = Promise.withResolvers()
      try {
        await this.#parked.hasten()
        const claims = await this.#claim()
        for (const claim of claims) this.#start(claim)
        if (claims.length === 0) await this.#waitForWork(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#deps.onEvent({ type: 'fault', duty: 'claim', error })
        await this.#deps.clock.wait(pollMs, { signal }).catch(() => {})
      }
    }
  }

  async #claim(): Promise<readonly Claim[]> {
    const { workerId, leaseMs, concurrency } = this.#settings
    const limit = concurrency - this.#runs.size
    const rooms = limit > 0 ? this.#findRooms() : []
    if (rooms.length === 0) return []
    // A claim in progress is finished: it may succeed even though the worker is draining.
    return this.#deps.queue.claim({ workerId, rooms, limit, leaseMs }, neverAborted)
  }

  #findRooms(): readonly ModelRoom[] {
    const { pool, isLoadedElsewhere, kindOf } = this.#deps
    const closed = new Set([...this.#runs].filter(({ suspect }) => suspect).map(({ model }) => model))
    const loading = (model: string) => [...this.#runs].filter((run) => run.loading && run.model === model).length
    const states = pool.states()
    const rooms = states
      .filter(({ modelId }) => !closed.has(modelId) && pool.hasRoom(modelId))
      .map(({ modelId, state, slots, inUse, waiting }) => ({
        model: modelId,
        room: Math.max(1, slots - inUse - waiting) - loading(modelId),
        waitedMs: (state === 'unloaded' || state === 'backing-off') && isLoadedElsewhere(modelId) ? elsewhereMs : 0,
        kind: kindOf(modelId),
      }))
      .filter(({ room }) => room > 0)
    this.#hasAllRooms = rooms.length === states.length && rooms.every(({ waitedMs }) => waitedMs === 0)
    return rooms
  }

  #start(claim: Claim): void {
    const { inference, deadlyAttempts } = claim
    const { clock, onEvent } = this.#deps
    const suspect = deadlyAttempts > 0
    this.#parked.forget(claim.id)
    const after = [...this.#runs].filter((run) => run.model === inference.model && (suspect || run.suspect)).map(({ ended }) => ended)
    onEvent({ type: 'claimed', inference, queuedMs: clock.now() - inference.createdAt })
    const lease = this.#claims.hold(claim)
    const { promise: ended, resolve: onEnded } = Promise.withResolvers<void>()
    const run: Run = { model: inference.model, suspect, loading: true, ended }
    this.#runs.add(run)
    const onWork = () => {
      run.loading = false
    }
    const onSlotFree = () => this.#slotFreed.resolve()
    const onOverLimit = (holder: BudgetHolder) => this.#parked.park(claim.id, holder)
    const options = { ...this.#settings, lease, signal: this.#draining.signal, after, onWork, onSlotFree, onOverLimit }
    void runClaim(this.#deps, claim, options).finally(() => {
      lease[Symbol.dispose]()
      this.#runs.delete(run)
      this.#ranAt = clock.now()
      this.#slotFreed.resolve()
      onEnded()
    })
  }

  async #waitForWork(signal: AbortSignal): Promise<void> {
    const isIdle = this.#hasAllRooms && this.#runs.size === 0 && this.#deps.clock.now() - this.#ranAt >= idleAfterMs
    await firstOf(
      signal,
      () => this.#slotFreed.promise,
      (either) => this.#deps.queue.waitForWork(isIdle ? idlePollMs : pollMs, { signal: either }),
    )
  }
}
