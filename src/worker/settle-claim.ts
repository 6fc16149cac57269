import type { AnswerPlace } from '../core/chat/conversation.ts'
import { cancelled, failedBy } from '../core/deferred/attempts.ts'
import { type ErrorRecord, ServiceError } from '../core/error.ts'
import type { InferenceWork, OutputReference } from '../core/inference.ts'
import type { Claim, Completion, ReleaseAnswer } from '../core/ports/inference-queue.ts'
import { outcomeOfFailure, type UsageEntry } from '../core/usage.ts'
import { neverAborted } from '../core/waiting.ts'
import { collectWritten } from '../operations/collect-text.ts'
import type { UsageMeter } from '../operations/usage-meter.ts'
import { judgeFailure } from './judge-failure.ts'
import { Interruption, persist } from './parked-claims.ts'
import type { WorkerDependencies, WorkerEvent } from './worker-dependencies.ts'

/** A claim whose work has ended. */
export interface EndedClaim {
  readonly claim: Claim
  /** null = the request could not be read. */
  readonly work: InferenceWork | null
  /** Whether the work has a result, which may be stored already. */
  readonly hasResult: boolean
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
  if (judgement.action === 'release') {
    const { delayMs } = judgement
    const answer = await persist(deps, 'release', () => deps.queue.release(claim, { delayMs, usage }, neverAborted), signal)
    return reportReleased(deps, ended, answer, 'no-room')
  }
  const output = await keepWritten(deps, ended)
  if (judgement.action === 'fail') return completeClaim(deps, ended, failedBy({ ...judgement, ...output }))
  if (judgement.error.code === 'internal_error') deps.onEvent({ type: 'fault', duty: 'run-work', error: failure })
  const failed = { ...judgement, ...output }
  const answer = await persist(deps, 'retry', () => deps.queue.retry(claim, { failure: failed, usage }, neverAborted), signal)
  if (answer === 'failed') return reportEnded(deps, ended, failedBy(failed))
  if (output !== null) await discard(deps, output)
  await reportReleased(deps, ended, answer, judgement.deadly ? 'lost' : 'failed')
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

/** Largest JSON of an unfinished text that is kept, since polls contain it. */
const maxWrittenBytes = 1024 * 1024

/**
 * Stores what failed work outside a conversation has written; null = nothing. The request has already failed, so if this fails too, that is
 * only logged.
 */
async function keepWritten(
  deps: WorkerDependencies,
  { claim, work, hasResult, meter }: EndedClaim,
): Promise<{ readonly output: OutputReference } | null> {
  if (hasResult || work?.kind !== 'chat' || work.place !== undefined) return null
  const { promptTokens, completionTokens } = meter.entry('failed')
  const parts = deps.events.writtenBy(claim.id)?.parts ?? []
  const result = collectWritten(parts, { promptTokens, completionTokens, cachedTokens: 0 })
  if (result === null) return null
  try {
    const content = deps.encodeOutput(work, { kind: 'chat', result })
    const chunks = [...content.chunks]
    if (chunks.reduce((sum, { length }) => sum + length, 0) > maxWrittenBytes) return null
    const name = { inferenceId: claim.id, attempt: claim.attempt }
    return { output: await deps.outputs.put(name, { ...content, chunks }, neverAborted) }
  } catch (error) {
    deps.onEvent({ type: 'fault', duty: 'keep-written', error })
    return null
  }
}

/** Deletes what an attempt had written: the next one starts with an empty text. */
async function discard(deps: WorkerDependencies, { output }: { readonly output: OutputReference }): Promise<void> {
  await deps.outputs
    .delete([output.key], neverAborted)
    .catch((error: unknown) => deps.onEvent({ type: 'fault', duty: 'discard-written', error }))
}

/** Stores the text in its conversation, if any; tries again while the database is away. Other failures are only logged. */
async function keepAnswer(
  deps: WorkerDependencies,
  ended: EndedClaim,
  completion: Pick<Completion, 'outcome'> & { readonly error?: ErrorRecord },
): Promise<void> {
  const { inference } = ended.claim
  const place = placeOf(ended)
  if (place === undefined) return
  const ending = { outcome: completion.outcome, error: completion.error ?? null, written: deps.events.writtenBy(inference.id) }
  const write = () =>
    deps.endAnswer({ inference, place }, ending).catch((error: unknown) => {
      if (isPassing(error)) throw error
      deps.onEvent({ type: 'fault', duty: 'keep-answer', error })
    })
  await persist(deps, 'keep-answer', write, ended.signal).catch(() => {})
}

/** Whether a conversation may take an answer a moment later. */
function isPassing(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'server_is_overloaded'
}

function placeOf({ work }: EndedClaim): AnswerPlace | undefined {
  return work?.kind === 'chat' ? work.place : undefined
}

function outcomeOf(completion: Completion): UsageEntry['outcome'] {
  return completion.outcome === 'failed' ? outcomeOfFailure(completion.error.code) : completion.outcome
}
