import type { Progress } from '../core/inference.ts'
import type { Claim } from '../core/ports/inference-queue.ts'
import { Interruption } from './interruption.ts'
import type { WorkerDependencies } from './worker-dependencies.ts'

/** Keeps a claim alive while its work runs; `signal` aborts when the claim is lost or its inference cancelled. */
export interface HeldLease extends Disposable {
  readonly signal: AbortSignal
  noteProgress(progress: Progress): void
}

/** Renews a lease three times per lease, and listens for a cancellation in between. */
export function holdLease(
  { queue, events, clock, onEvent }: Pick<WorkerDependencies, 'queue' | 'events' | 'clock' | 'onEvent'>,
  claim: Claim,
  { leaseMs }: { readonly leaseMs: number },
): HeldLease {
  const interrupted = new AbortController()
  const done = new AbortController()
  const subscription = events.subscribe(claim.inference.id)
  let progress: Progress | null = null

  const renew = async () => {
    for (;;) {
      await clock.wait(leaseMs / 3, { signal: done.signal })
      const state = await queue.renew(claim, { leaseMs, progress }, { signal: done.signal }).catch((error: unknown) => {
        done.signal.throwIfAborted()
        // The store may be back before the lease ends; only the store can say that it has.
        onEvent({ type: 'fault', duty: 'renew-lease', error })
        return 'held' as const
      })
      if (state !== 'held') return interrupted.abort(new Interruption(state === 'lost' ? 'lost' : 'cancelled'))
    }
  }
  const listen = async () => {
    while (!events.closed) {
      const event = await subscription.next(leaseMs, { signal: done.signal })
      if (event?.type === 'cancel-requested') return interrupted.abort(new Interruption('cancelled'))
    }
  }
  for (const task of [renew(), listen()]) task.catch(() => {})

  return {
    signal: interrupted.signal,
    noteProgress: (latest) => {
      progress = latest
    },
    [Symbol.dispose]: () => {
      done.abort()
      subscription[Symbol.dispose]()
    },
  }
}
