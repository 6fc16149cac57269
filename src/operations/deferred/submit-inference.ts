import { randomUUID } from 'node:crypto'
import { makeInferenceId } from '../../core/deferred/inference-id.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import type { InferenceQueue, InferenceSubmission } from '../../core/ports/inference-queue.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { type BudgetDependencies, wishOf } from '../budgets/wish-of.ts'

/** Dependencies of submitting. */
export interface SubmitDependencies extends BudgetDependencies {
  readonly queue: InferenceQueue
  /** Called with each new inference. */
  readonly onSubmitted: (inference: Inference) => void
}

/**
 * Submits asynchronous work; when this resolves it is on stable storage and will be completed. Its maximum use stays reserved until then.
 *
 * @returns `repeated` = the idempotency key belongs to an earlier inference, which needs no budget.
 * @throws {ServiceError} `quota_exceeded`, and the errors of the queue.
 */
export async function submitInference(
  deps: SubmitDependencies,
  submission: Omit<InferenceSubmission, 'id'>,
  options: Abortable,
): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
  const { queue, ledger, onSubmitted } = deps
  const { accountId, work, idempotency } = submission
  const id = makeInferenceId({ uuid: randomUUID(), accountId, now: deps.clock.now() })
  const wish = wishOf(deps, { ...submission, id }, { running: false })
  let isLimited: boolean
  try {
    isLimited = (await ledger.reserve(wish, options)).isLimited
  } catch (refusal) {
    // The reservation of the earlier inference may be what used up the budget.
    const earlier = idempotency === null ? null : await queue.findEarlier(submission, options)
    if (earlier === null) throw refusal
    return { inference: earlier, repeated: true }
  }
  let kept = false
  try {
    const priority = isLow(work) ? 'low' : submission.priority
    const result = await queue.enqueue({ ...submission, priority, id }, options)
    kept = !result.repeated
    if (kept) onSubmitted(result.inference)
    return result
  } finally {
    // The caller may have left; reservations must not outlive rejected work.
    if (!kept && isLimited) await ledger.release(id, neverAborted)
  }
}

/** Whether a request lowers its own priority. Requests cannot raise it above those of other accounts. */
function isLow(work: InferenceWork): boolean {
  return work.kind === 'chat' && (work.request.priority ?? 0) > 0
}
