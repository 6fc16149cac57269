import type { Claim } from '../core/ports/inference-queue.ts'
import { Interruption } from './interruption.ts'
import { runClaim } from './run-claim.ts'
import { unstoppable } from './unstoppable.ts'
import type { WorkerDependencies, WorkerSettings } from './worker-dependencies.ts'

/** Longest time without looking for work, for when a slot gets free or a delay ends without a ring. */
const pollMs = 250

export interface Worker extends AsyncDisposable {
  /** Claims nothing more, puts what runs back to pending at once, and lets go of everybody who waits for an inference. */
  drain(): Promise<void>
}

/** Starts claiming deferred inferences and running them on the models that have room. */
export function startWorker(deps: WorkerDependencies, settings: WorkerSettings): Worker {
  const worker = new ClaimLoop(deps, settings)
  const looping = worker.loop()
  const drain = async () => {
    worker.stop()
    await looping
    await worker.finished()
    deps.events.close()
  }
  return { drain, [Symbol.asyncDispose]: drain }
}

interface Run {
  readonly model: string
  /** Lost a worker before, so that it runs alone on its model and takes nobody with it. */
  readonly suspect: boolean
  readonly ended: Promise<void>
}

class ClaimLoop {
  readonly #deps: WorkerDependencies
  readonly #settings: WorkerSettings
  readonly #draining = new AbortController()
  readonly #runs = new Set<Run>()
  #slotFreed = Promise.withResolvers<void>()

  constructor(deps: WorkerDependencies, settings: WorkerSettings) {
    this.#deps = deps
    this.#settings = settings
  }

  stop(): void {
    this.#draining.abort(new Interruption('drain'))
  }

  async finished(): Promise<void> {
    await Promise.all([...this.#runs].map(({ ended }) => ended))
  }

  async loop(): Promise<void> {
    const { signal } = this.#draining
    while (!signal.aborted) {
      // Made before looking, so that a slot that gets free meanwhile is noticed.
      this.#slotFreed = Promise.withResolvers()
      try {
        const claim = await this.#claim()
        if (claim !== null) this.#start(claim)
        else await this.#waitForWork(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#deps.onEvent({ type: 'fault', duty: 'claim', error })
        await this.#deps.clock.wait(pollMs, { signal }).catch(() => {})
      }
    }
  }

  async #claim(): Promise<Claim | null> {
    const { workerId, leaseMs, concurrency } = this.#settings
    const models = this.#runs.size < concurrency ? this.#modelsWithRoom() : []
    if (models.length === 0) return null
    // A claim that was begun is finished: it may have been granted although the worker drains by now.
    return this.#deps.queue.claim({ workerId, models, leaseMs }, unstoppable)
  }

  #modelsWithRoom(): readonly string[] {
    const { pool } = this.#deps
    const closed = new Set([...this.#runs].filter(({ suspect }) => suspect).map(({ model }) => model))
    return pool
      .states()
      .map(({ modelId }) => modelId)
      .filter((modelId) => !closed.has(modelId) && pool.hasRoom(modelId))
  }

  #start(claim: Claim): void {
    const { inference, lostAttempts } = claim
    const { clock, onEvent } = this.#deps
    const suspect = lostAttempts > 0
    const neighbours = suspect ? [...this.#runs].filter(({ model }) => model === inference.model) : []
    const after = neighbours.map(({ ended }) => ended)
    onEvent({ type: 'claimed', inference, queuedMs: clock.now() - inference.createdAt })
    const ended = runClaim(this.#deps, claim, {
      ...this.#settings,
      signal: this.#draining.signal,
      after,
      onSlotFree: () => this.#slotFreed.resolve(),
    }).finally(() => {
      this.#runs.delete(run)
      this.#slotFreed.resolve()
    })
    const run: Run = { model: inference.model, suspect, ended }
    this.#runs.add(run)
  }

  async #waitForWork(signal: AbortSignal): Promise<void> {
    const done = new AbortController()
    try {
      await Promise.race([this.#slotFreed.promise, this.#deps.queue.doorbell(pollMs, { signal: AbortSignal.any([signal, done.signal]) })])
    } finally {
      done.abort()
    }
  }
}
