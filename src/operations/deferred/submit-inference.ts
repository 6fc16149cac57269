import { randomUUID } from 'node:crypto'
import { makeInferenceId } from '../../core/deferred/inference-id.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import type { InferenceQueue, InferenceSubmission } from '../../core/ports/inference-queue.ts'
import { neverAborted } from '../../core/waiting.ts'
import { type BudgetDependencies, wishOf } from '../budgets/wish-of.ts'

/** What submitting needs. */
export interface SubmitDependencies extends BudgetDependencies {
  readonly queue: InferenceQueue
  /** Called with each new inference. */
  readonly onSubmitted: (inference: Inference) => void
}

/**
 * Takes work that nobody waits for; once this resolves it is on stable storage and will reach an end. What it may use is set aside until then.
 *
 * @returns `repeated` when the idempotency key had made the inference before.
 * @throws {ServiceError} `quota_exceeded`, and what the queue throws.
 */
export async function submitInference(
  deps: SubmitDependencies,
  submission: Omit<InferenceSubmission, 'id'>,
  options: { readonly signal: AbortSignal },
): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
  const { queue, ledger, onSubmitted } = deps
  const { accountId, work } = submission
  const id = makeInferenceId({ uuid: randomUUID(), accountId, now: deps.clock.now() })
  const wish = wishOf(deps, { ...submission, id }, { running: false })
  const { isLimited } = await ledger.reserve(wish, options)
  let kept = false
  try {
    const priority = isLow(work) ? 'low' : submission.priority
    const result = await queue.enqueue({ ...submission, priority, id }, options)
    kept = !result.repeated
    if (kept) onSubmitted(result.inference)
    return result
  } finally {
    // The caller may have left by now; nothing must stay set aside for work that is not there.
    if (!kept && isLimited) await ledger.release(id, neverAborted)
  }
}

/** Whether a request says of itself that it can wait. Nothing goes before the requests of other accounts, so that there is no more to be had. */
function isLow(work: InferenceWork): boolean {
  return work.kind === 'chat' && (work.request.priority ?? 0) > 0
}
