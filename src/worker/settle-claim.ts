import type { AnswerPlace } from '../core/chat/conversation.ts'
import { cancelled } from '../core/deferred/inference-id.ts'
import type { ErrorRecord } from '../core/error.ts'
import type { InferenceWork } from '../core/inference.ts'
import type { Claim, Completion, ReleaseAnswer } from '../core/ports/inference-queue.ts'
import { outcomeOfFailure, type UsageEntry } from '../core/usage.ts'
import { neverAborted } from '../core/waiting.ts'
import type { UsageMeter } from '../operations/usage-meter.ts'
import { judgeFailure } from './judge-failure.ts'
import { Interruption, persist } from './parked-claims.ts'
import type { WorkerDependencies, WorkerEvent } from './worker-dependencies.ts'

/** A claim whose work has ended. */
export interface EndedClaim {
  readonly claim: Claim
  /** null = the request could not be read. */
  readonly work: InferenceWork | null
  readonly meter: UsageMeter
  /** Aborts when the worker drains, which stops retrying failed writes. */
  readonly signal: AbortSignal
}

/** Completes the inference and records its usage, unless the claim was lost. */
export async function completeClaim(deps: WorkerDependencies, ended: EndedClaim, completion: Completion): Promise<void> {
  const { claim, meter, signal } = ended
  const usage = meter.entry(outcomeOf(completion))
  // An answer is stored before the completion becomes visible, so that readers of the completion find it. A failure is stored afterwards: a
  // lost attempt must not hide what the next one writes.
  const succeeded = completion.outcome === 'succeeded'
  if (succeeded) await keepAnswer(deps, ended, completion)
  const answer = await persist(deps, 'complete', () => deps.queue.complete(claim, { completion, usage }, neverAborted), signal)
  if (answer === 'lost') return deps.onEvent({ type: 'fenced', inference: claim.inference })
  if (!succeeded) await keepAnswer(deps, ended, completion)
  reportCompleted(deps, ended, completion)
}

/** Releases or completes the inference, depending on why its work ended. */
export async function settleFailure(deps: WorkerDependencies, ended: EndedClaim, failure: unknown): Promise<void> {
  const { claim, meter, signal } = ended
  const usage = meter.entry('failed')
  if (failure instanceof Interruption) return settleInterruption(deps, ended, failure)
  const isRead = placeOf(ended) !== undefined
  const judgement = judgeFailure(failure, claim.attempt, isRead)
  if (judgement.action === 'fail') return completeClaim(deps, ended, { outcome: 'failed', error: judgement.error })
  if (judgement.action === 'release') {
    const { delayMs } = judgement
    const answer = await persist(deps, 'release', () => deps.queue.release(claim, { delayMs, usage }, neverAborted), signal)
    return reportReleased(deps, ended, answer, 'no-room')
  }
  if (judgement.error.code === 'internal_error') deps.onEvent({ type: 'fault', duty: 'run-work', error: failure })
  const answer = await persist(deps, 'retry', () => deps.queue.retry(claim, { failure: judgement, usage }, neverAborted), signal)
  if (answer === 'failed') await reportEnded(deps, ended, { outcome: 'failed', error: judgement.error })
  else await reportReleased(deps, ended, answer, judgement.deadly ? 'lost' : 'failed')
}

async function settleInterruption(deps: WorkerDependencies, ended: EndedClaim, { kind }: Interruption): Promise<void> {
  const { claim, meter } = ended
  if (kind === 'lost') return deps.onEvent({ type: 'fenced', inference: claim.inference })
  if (kind === 'cancelled') return completeClaim(deps, ended, { outcome: 'cancelled', error: cancelled })
  await reportReleased(deps, ended, await deps.queue.release(claim, { delayMs: 0, usage: meter.entry('cancelled') }, neverAborted), 'drain')
}

async function reportReleased(
  deps: WorkerDependencies,
  ended: EndedClaim,
  answer: ReleaseAnswer,
  reason: Extract<WorkerEvent, { type: 'requeued' }>['reason'],
): Promise<void> {
  const { inference } = ended.claim
  if (answer === 'cancelled') await reportEnded(deps, ended, { outcome: 'cancelled', error: cancelled })
  else if (answer === 'lost') deps.onEvent({ type: 'fenced', inference })
  else {
    deps.events.publish(inference.id, { type: 'status', status: 'pending' })
    deps.onEvent({ type: 'requeued', inference, reason })
  }
}

/** Reports an inference that the store completed itself. */
async function reportEnded(deps: WorkerDependencies, ended: EndedClaim, completion: Completion): Promise<void> {
  await keepAnswer(deps, ended, completion)
  reportCompleted(deps, ended, completion)
}

function reportCompleted(deps: WorkerDependencies, { claim, meter }: EndedClaim, completion: Completion): void {
  deps.events.publish(claim.id, { type: 'status', status: 'completed' })
  deps.onEvent({ type: 'completed', inference: claim.inference, completion, usage: meter.entry(outcomeOf(completion)) })
}

/** Stores the text in its conversation, if any. Failures are only logged: the request itself has ended. */
async function keepAnswer(
  deps: WorkerDependencies,
  ended: EndedClaim,
  completion: Pick<Completion, 'outcome'> & { readonly error?: ErrorRecord },
): Promise<void> {
  const { inference } = ended.claim
  const place = placeOf(ended)
  if (place === undefined) return
  const ending = { outcome: completion.outcome, error: completion.error ?? null, written: deps.events.writtenBy(inference.id) }
  await deps.endAnswer({ inference, place }, ending).catch((error: unknown) => deps.onEvent({ type: 'fault', duty: 'keep-answer', error }))
}

function placeOf({ work }: EndedClaim): AnswerPlace | undefined {
  return work?.kind === 'chat' ? work.place : undefined
}

function outcomeOf(completion: Completion): UsageEntry['outcome'] {
  return completion.outcome === 'failed' ? outcomeOfFailure(completion.error.code) : completion.outcome
}
