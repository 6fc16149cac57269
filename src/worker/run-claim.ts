import type { ImageProgress } from '../core/image-generation.ts'
import type { OutputReference } from '../core/inference.ts'
import type { Claim } from '../core/ports/inference-queue.ts'
import { runWork, type WorkResult } from '../operations/run-work.ts'
import { abandonOnAbort } from './abandon-on-abort.ts'
import { holdLease } from './hold-lease.ts'
import { persist } from './persist.ts'
import { completeClaim, type EndedClaim, settleFailure } from './settle-claim.ts'
import { unstoppable } from './unstoppable.ts'
import type { WorkerDependencies, WorkerSettings } from './worker-dependencies.ts'

interface RunOptions extends Pick<WorkerSettings, 'leaseMs' | 'runLimitMs'> {
  /** Aborts when the worker drains. */
  readonly signal: AbortSignal
  /** What must end before the work may start; its lease is held meanwhile. */
  readonly after: readonly Promise<void>[]
  /** Called when the model's slot is free again, before the result is stored. */
  readonly onSlotFree: () => void
}

/** Takes one claim to its end: completed, or given back. Never throws. */
export async function runClaim(deps: WorkerDependencies, claim: Claim, options: RunOptions): Promise<void> {
  const ended: EndedClaim = { claim, startedAt: deps.clock.now(), signal: options.signal }
  using lease = holdLease(deps, claim, options)
  const { id, accountId } = claim.inference
  using _noted = deps.underWay?.note(accountId, () => deps.events.publish(id, { type: 'cancel-requested' }))
  const signal = AbortSignal.any([options.signal, lease.signal])
  deps.events.publish(claim.inference.id, { type: 'status', status: 'running' })
  try {
    // Without anything to wait for, the slot is taken before the worker looks for room again.
    if (options.after.length > 0) await abandonOnAbort(Promise.all(options.after), signal)
    const result = await abandonOnAbort(compute(deps, claim, { ...options, signal, noteProgress: lease.noteProgress }), signal)
    options.onSlotFree()
    const output = await storeOutput(deps, claim, result, signal)
    await completeClaim(deps, ended, { outcome: 'succeeded', output }, result)
  } catch (error) {
    const settled = settleFailure(deps, ended, signal.aborted ? signal.reason : error)
    await settled.catch((fault: unknown) => deps.onEvent({ type: 'fault', duty: 'settle-claim', error: fault }))
  } finally {
    deps.events.forgetProgress(claim.inference.id)
  }
}

function compute(
  deps: WorkerDependencies,
  { inference, work }: Claim,
  {
    runLimitMs,
    signal,
    noteProgress,
  }: { readonly runLimitMs: number; readonly signal: AbortSignal; readonly noteProgress: (progress: ImageProgress) => void },
): Promise<WorkResult> {
  signal.throwIfAborted()
  const onProgress = ({ preview, ...progress }: ImageProgress) => {
    noteProgress(progress)
    deps.events.publish(inference.id, { type: 'progress', progress })
    if (preview !== undefined) deps.events.publish(inference.id, { type: 'preview', image: preview })
  }
  return runWork({ pool: deps.pool, clock: deps.clock, runLimitMs }, { work, accountId: inference.accountId }, { signal, onProgress })
}

function storeOutput(
  deps: WorkerDependencies,
  { inference, work, attempt }: Claim,
  result: WorkResult,
  signal: AbortSignal,
): Promise<OutputReference> {
  const content = deps.encodeOutput(work, result)
  return persist(deps, 'store-output', () => deps.outputs.put({ inferenceId: inference.id, attempt }, content, unstoppable), signal)
}
