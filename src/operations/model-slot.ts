import { ServiceError } from '../core/error.ts'
import type { ModelLease, ModelPool } from '../core/ports/model-pool.ts'
import type { WorkEvent } from '../core/work-event.ts'
import type { BudgetDependencies } from './budgets/wish-of.ts'

/** Dependencies of all work on a model. */
export interface RunDependencies extends BudgetDependencies {
  readonly pool: ModelPool
  /** Maximum run time, starting when a slot is leased. */
  readonly runLimitMs: number
  /** Called with the events of the work. */
  readonly onWork: (event: WorkEvent) => void
}

/** A leased slot for one run; disposing it frees the slot. */
export interface HeldSlot<Model> extends AsyncDisposable {
  readonly model: Model
  /** Aborts with the caller's signal, or with `inference_timeout` after the maximum run time. */
  readonly signal: AbortSignal
}

/** Waits for a lease, then limits the time of the run. */
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
