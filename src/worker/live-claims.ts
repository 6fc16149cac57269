import type { Progress } from '../core/inference.ts'
import type { Claim, Hold } from '../core/ports/inference-queue.ts'
import { Interruption } from './parked-claims.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

/** Maximum interval between renewals, which bounds the delay of cancellations by other processes. */
const longestPauseMs = 1000

/** Renews a claim while its work runs; `signal` aborts when the claim is lost or the inference cancelled. */
export interface HeldLease extends Disposable {
  readonly signal: AbortSignal
  noteProgress(progress: Progress): void
}

interface LiveClaim {
  readonly hold: Hold
  readonly interrupted: AbortController
  progress: Progress | null
}

/** All claims of this worker: renewed in one write, and spared by this process's own sweep. */
export class LiveClaims implements Disposable {
  readonly #deps: Pick<WorkerDependencies, 'queue' | 'events' | 'clock' | 'onEvent'>
  readonly #leaseMs: number
  readonly #claims = new Map<string, LiveClaim>()
  readonly #closed = new AbortController()

  constructor(deps: Pick<WorkerDependencies, 'queue' | 'events' | 'clock' | 'onEvent'>, { leaseMs }: { readonly leaseMs: number }) {
    this.#deps = deps
    this.#leaseMs = leaseMs
    this.#renewForever().catch(() => {})
  }

  holds(): readonly Hold[] {
    return [...this.#claims.values()].map(({ hold }) => hold)
  }

  hold({ id, attempt }: Claim): HeldLease {
    const claim: LiveClaim = { hold: { id, attempt }, interrupted: new AbortController(), progress: null }
    const done = new AbortController()
    this.#claims.set(nameOf(claim.hold), claim)
    this.#listen(claim, done.signal).catch(() => {})
    return {
      signal: claim.interrupted.signal,
      noteProgress: (latest) => {
        claim.progress = latest
      },
      [Symbol.dispose]: () => {
        done.abort()
        this.#claims.delete(nameOf(claim.hold))
      },
    }
  }

  [Symbol.dispose](): void {
    this.#closed.abort()
  }

  async #renewForever(): Promise<void> {
    const { queue, clock, onEvent } = this.#deps
    const { signal } = this.#closed
    for (;;) {
      await clock.wait(Math.min(this.#leaseMs / 3, longestPauseMs), { signal })
      const holds = [...this.#claims.values()].map(({ hold, progress }) => ({ ...hold, progress }))
      if (holds.length === 0) continue
      try {
        const { cancelRequested, lost } = await queue.renew(holds, { signal, leaseMs: this.#leaseMs })
        this.#interrupt(cancelRequested, 'cancelled')
        this.#interrupt(lost, 'lost')
      } catch (error) {
        signal.throwIfAborted()
        // The store may return before the leases end; only the store can report that they have.
        onEvent({ type: 'fault', duty: 'renew-leases', error })
      }
    }
  }

  #interrupt(holds: readonly Hold[], kind: Interruption['kind']): void {
    for (const hold of holds) this.#claims.get(nameOf(hold))?.interrupted.abort(new Interruption(kind))
  }

  /** Reacts at once to a cancellation through this process. */
  async #listen({ hold, interrupted }: LiveClaim, signal: AbortSignal): Promise<void> {
    const { events } = this.#deps
    using subscription = events.subscribe(hold.id)
    while (!events.closed) {
      const event = await subscription.next(this.#leaseMs, { signal })
      if (event?.type === 'cancel-requested') return interrupted.abort(new Interruption('cancelled'))
    }
  }
}

function nameOf({ id, attempt }: Hold): string {
  return `${id} ${attempt}`
}
