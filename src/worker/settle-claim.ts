import { cancelled } from '../core/inference-failure.ts'
import type { Claim, Completion } from '../core/ports/inference-queue.ts'
import type { WorkResult } from '../operations/run-work.ts'
import { bookUsage } from './book-usage.ts'
import { Interruption } from './interruption.ts'
import { judgeFailure } from './judge-failure.ts'
import { persist } from './persist.ts'
import { unstoppable } from './unstoppable.ts'
import type { WorkerDependencies, WorkerEvent } from './worker-dependencies.ts'

/** A claim whose work has ended. */
export interface EndedClaim {
  readonly claim: Claim
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Aborts when the worker drains, which ends the patience with storage that fails. */
  readonly signal: AbortSignal
}

/** Completes the inference, unless its claim was lost. */
export async function completeClaim(
  deps: WorkerDependencies,
  ended: EndedClaim,
  completion: Completion,
  result: WorkResult | null = null,
): Promise<void> {
  const completed = await persist(deps, 'complete', () => deps.queue.complete(ended.claim, completion, unstoppable), ended.signal)
  if (completed) await tellCompleted(deps, ended, completion, result)
  else deps.onEvent({ type: 'fenced', inference: ended.claim.inference })
}

/** Gives the inference back or completes it, as the reason for which its work ended demands. */
export async function settleFailure(deps: WorkerDependencies, ended: EndedClaim, failure: unknown): Promise<void> {
  const { claim, signal } = ended
  if (failure instanceof Interruption) return settleInterruption(deps, ended, failure)
  const judgement = judgeFailure(failure, claim.attempt)
  if (judgement.action === 'fail') return completeClaim(deps, ended, { outcome: 'failed', error: judgement.error })
  if (judgement.action === 'release') {
    const release = () => deps.queue.release(claim, { ...unstoppable, delayMs: judgement.delayMs })
    if (await persist(deps, 'release', release, signal)) tellRequeued(deps, claim, 'no-room')
    return
  }
  if (judgement.error.code === 'internal_error') deps.onEvent({ type: 'fault', duty: 'run-work', error: failure })
  const decision = await persist(deps, 'retry', () => deps.queue.retry(claim, judgement, unstoppable), signal)
  if (decision === 'not-held') deps.onEvent({ type: 'fenced', inference: claim.inference })
  else if (decision === 'requeued') tellRequeued(deps, claim, judgement.lost ? 'lost' : 'failed')
  else await tellCompleted(deps, ended, { outcome: 'failed', error: judgement.error }, null)
}

async function settleInterruption(deps: WorkerDependencies, ended: EndedClaim, { kind }: Interruption): Promise<void> {
  const { claim } = ended
  if (kind === 'lost') return deps.onEvent({ type: 'fenced', inference: claim.inference })
  if (kind === 'cancelled') return completeClaim(deps, ended, { outcome: 'cancelled', error: cancelled })
  if (await deps.queue.release(claim, unstoppable)) tellRequeued(deps, claim, 'drain')
}

async function tellCompleted(
  deps: WorkerDependencies,
  { claim, startedAt }: EndedClaim,
  completion: Completion,
  result: WorkResult | null,
): Promise<void> {
  const { inference } = claim
  const durationMs = deps.clock.now() - startedAt
  deps.events.publish(inference.id, { type: 'status', status: 'completed' })
  deps.onEvent({ type: 'completed', inference, completion, durationMs })
  await bookUsage(deps, { claim, outcome: completion.outcome, result, durationMs })
}

function tellRequeued(deps: WorkerDependencies, { inference }: Claim, reason: Extract<WorkerEvent, { type: 'requeued' }>['reason']): void {
  deps.events.publish(inference.id, { type: 'status', status: 'pending' })
  deps.onEvent({ type: 'requeued', inference, reason })
}
