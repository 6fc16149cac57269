import { ServiceError } from '../core/error.ts'
import type { ModelLease, ModelPool } from '../core/ports/model-pool.ts'
import type { WorkEvent } from '../core/work-event.ts'
import type { BudgetDependencies } from './budgets/wish-of.ts'

/** What all work on a model needs, whether its caller waits for it or not. */
export interface RunDependencies extends BudgetDependencies {
  readonly pool: ModelPool
  /** Longest run once a slot is held. */
  readonly runLimitMs: number
  /** Called with what work spends its time on. */
  readonly onWork: (event: WorkEvent) => void
}

/** A slot on a model for one run; disposing it frees the slot. */
export interface HeldSlot<Model> extends AsyncDisposable {
  readonly model: Model
  /** Aborts with the caller's, or with `inference_timeout` when the run takes too long. */
  readonly signal: AbortSignal
}

/** Waits for a lease and limits the time of the run that begins with it. */
export async function holdSlot<Model>(
  { clock, runLimitMs, onWork }: Pick<RunDependencies, 'clock' | 'runLimitMs' | 'onWork'>,
  acquired: Promise<ModelLease<Model>>,
  { signal, model }: { readonly signal: AbortSignal; readonly model: string },
): Promise<HeldSlot<Model>> {
  const startedAt = clock.now()
  const lease = await acquired
  onWork({ type: 'phase', name: 'queue', model, startedAt, endedAt: clock.now() })
  const limited = new AbortController()
  const follow = () => limited.abort(signal.reason)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  const done = new AbortController()
  const tooLong = () =>
    new ServiceError('inference_timeout', `The inference took longer than ${runLimitMs / 1000} seconds; ask for less at once.`)
  clock.wait(runLimitMs, { signal: done.signal }).then(
    () => limited.abort(tooLong()),
    () => {},
  )
  return {
    model: lease.model,
    signal: limited.signal,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', follow)
      done.abort('in time')
      await lease[Symbol.asyncDispose]()
    },
  }
}
