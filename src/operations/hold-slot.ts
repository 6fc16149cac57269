import type { ModelLease, ModelPool } from '../core/ports/model-pool.ts'
import type { WorkEvent } from '../core/work-event.ts'
import type { BudgetDependencies } from './budgets/hold-budget.ts'
import { limitTime } from './limit-time.ts'

/** What all work on a model needs, whoever asked for it. */
export interface RunDependencies extends BudgetDependencies {
  readonly pool: ModelPool
  /** Longest run once a slot is held. */
  readonly runLimitMs: number
  /** Told what work spends its time on; absent = nobody asks. */
  readonly onWork?: (event: WorkEvent) => void
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
  onWork?.({ type: 'phase', name: 'queue', model, startedAt, endedAt: clock.now() })
  const limited = limitTime(clock, { limitMs: runLimitMs, signal })
  return {
    model: lease.model,
    signal: limited.signal,
    async [Symbol.asyncDispose]() {
      limited[Symbol.dispose]()
      await lease[Symbol.asyncDispose]()
    },
  }
}
