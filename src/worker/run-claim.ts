import { ServiceError, toErrorRecord } from '../core/error.ts'
import type { ImageProgress } from '../core/image-generation.ts'
import type { OutputReference } from '../core/inference.ts'
import type { Claim, Completion } from '../core/ports/inference-queue.ts'
import { runWork, type WorkResult } from '../operations/run-work.ts'
import { abandonOnAbort } from './abandon-on-abort.ts'
import { bookUsage } from './book-usage.ts'
import { holdLease } from './hold-lease.ts'
import { Interruption } from './interruption.ts'
import { judgeFailure } from './judge-failure.ts'
import { persist } from './persist.ts'
import type { WorkerDependencies, WorkerSettings } from './worker-dependencies.ts'

/** What is written at the end of a claim is written whether or not somebody wants the work to stop. */
const unstoppable = { signal: new AbortController().signal }

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
  const startedAt = deps.clock.now()
  using lease = holdLease(deps, claim, options)
  const signal = AbortSignal.any([options.signal, lease.signal])
  tell(deps, claim, 'running')
  try {
    // Without anything to wait for, the slot is taken before the worker looks for room again.
    if (options.after.length > 0) await abandonOnAbort(Promise.all(options.after), signal)
    const result = await abandonOnAbort(compute(deps, claim, { ...options, signal, noteProgress: lease.noteProgress }), signal)
    options.onSlotFree()
    const output = await storeOutput(deps, claim, result, signal)
    await finish(deps, claim, { completion: { outcome: 'succeeded', output }, result, startedAt, signal: options.signal })
  } catch (error) {
    const failure = signal.aborted ? signal.reason : error
    await settleFailure(deps, claim, { failure, startedAt, signal: options.signal }).catch((fault: unknown) =>
      deps.onEvent({ type: 'fault', duty: 'settle-claim', error: fault }),
    )
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

async function finish(
  deps: WorkerDependencies,
  claim: Claim,
  {
    completion,
    result,
    startedAt,
    signal,
  }: { readonly completion: Completion; readonly result: WorkResult | null; readonly startedAt: number; readonly signal: AbortSignal },
): Promise<void> {
  const completed = await persist(deps, 'complete', () => deps.queue.complete(claim, completion, unstoppable), signal)
  if (!completed) return deps.onEvent({ type: 'fenced', inference: claim.inference })
  tell(deps, claim, 'completed')
  const durationMs = deps.clock.now() - startedAt
  deps.onEvent({ type: 'completed', inference: claim.inference, completion, durationMs })
  await bookUsage(deps, { claim, outcome: completion.outcome, result, durationMs })
}

async function settleFailure(
  deps: WorkerDependencies,
  claim: Claim,
  { failure, startedAt, signal }: { readonly failure: unknown; readonly startedAt: number; readonly signal: AbortSignal },
): Promise<void> {
  const { inference } = claim
  if (failure instanceof Interruption && failure.kind === 'lost') return deps.onEvent({ type: 'fenced', inference })
  if (failure instanceof Interruption && failure.kind === 'drain') {
    if (await deps.queue.release(claim, unstoppable)) requeued(deps, claim, 'drain')
    return
  }
  if (failure instanceof Interruption) {
    const error = toErrorRecord(new ServiceError('request_cancelled', 'The request was cancelled before it finished.'))
    return finish(deps, claim, { completion: { outcome: 'cancelled', error }, result: null, startedAt, signal })
  }
  const judgement = judgeFailure(failure, claim.attempt)
  if (judgement.action === 'fail')
    return finish(deps, claim, { completion: { outcome: 'failed', error: judgement.error }, result: null, startedAt, signal })
  if (judgement.action === 'release') {
    const { delayMs } = judgement
    if (await persist(deps, 'release', () => deps.queue.release(claim, { ...unstoppable, delayMs }), signal))
      requeued(deps, claim, 'no-room')
    return
  }
  if (judgement.error.code === 'internal_error') deps.onEvent({ type: 'fault', duty: 'run-work', error: failure })
  const decision = await persist(deps, 'retry', () => deps.queue.retry(claim, judgement, unstoppable), signal)
  if (decision === 'not-held') return deps.onEvent({ type: 'fenced', inference })
  if (decision === 'requeued') return requeued(deps, claim, judgement.lost ? 'lost' : 'failed')
  tell(deps, claim, 'completed')
  const durationMs = deps.clock.now() - startedAt
  deps.onEvent({ type: 'completed', inference, completion: { outcome: 'failed', error: judgement.error }, durationMs })
  await bookUsage(deps, { claim, outcome: 'failed', result: null, durationMs })
}

function requeued(deps: WorkerDependencies, claim: Claim, reason: 'drain' | 'lost' | 'failed' | 'no-room'): void {
  tell(deps, claim, 'pending')
  deps.onEvent({ type: 'requeued', inference: claim.inference, reason })
}

function tell({ events }: WorkerDependencies, { inference }: Claim, status: 'pending' | 'running' | 'completed'): void {
  events.publish(inference.id, { type: 'status', status })
}
