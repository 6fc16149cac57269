import { randomUUID } from 'node:crypto'
import { makeInferenceId } from '../../core/deferred/inference-id.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import type { InferenceQueue, InferenceSubmission } from '../../core/ports/inference-queue.ts'
import { unstoppable } from '../../core/waiting.ts'
import type { BudgetDependencies } from '../budgets/hold-budget.ts'
import { holdWaitingText } from '../budgets/hold-text-budget.ts'
import { holdWorkBudget } from '../budgets/hold-work-budget.ts'

/** What submitting needs. */
export interface SubmitDependencies extends BudgetDependencies {
  readonly queue: InferenceQueue
  /** Told of each new inference. */
  readonly onSubmitted?: (inference: Inference) => void
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
  const { queue, ledger, onSubmitted = () => {} } = deps
  const id = makeInferenceId({ uuid: randomUUID(), accountId: submission.accountId, now: deps.clock.now() })
  const isSetAside = await holdWaiting(deps, { id, accountId: submission.accountId, work: submission.work }, options)
  let kept = false
  try {
    const priority = isLow(submission.work) ? 'low' : submission.priority
    const result = await queue.enqueue({ ...submission, priority, id }, options)
    kept = !result.repeated
    if (kept) onSubmitted(result.inference)
    return result
  } finally {
    // The caller may have left by now; nothing must stay set aside for work that is not there.
    if (!kept && isSetAside) await ledger.release(id, unstoppable)
  }
}

/** Whether a request says of itself that it can wait. Nothing goes before the requests of other accounts, so that there is no more to be had. */
function isLow(work: InferenceWork): boolean {
  return work.kind === 'chat' && (work.request.priority ?? 0) > 0
}

/** Whether anything was set aside at all. */
async function holdWaiting(
  deps: BudgetDependencies,
  { id, accountId, work }: { readonly id: string; readonly accountId: string; readonly work: InferenceWork },
  options: { readonly signal: AbortSignal },
): Promise<boolean> {
  const { tokenId = null } = work
  if (work.kind === 'chat') return holdWaitingText(deps, { accountId, tokenId, reservation: id, request: work.request }, options)
  return holdWorkBudget(deps, { accountId, tokenId, reservation: id, work, running: false }, options)
}
