import type { Inference } from '../../core/inference.ts'
import type { InferenceQueue, InferenceSubmission } from '../../core/ports/inference-queue.ts'

/**
 * Takes work that nobody waits for; once this resolves it is on stable storage and will reach an end.
 *
 * @returns `repeated` when the idempotency key had made the inference before.
 * @throws {ServiceError} `server_is_overloaded`, `idempotency_conflict`.
 */
export async function submitInference(
  { queue, onSubmitted = () => {} }: { readonly queue: InferenceQueue; readonly onSubmitted?: (inference: Inference) => void },
  submission: InferenceSubmission,
  options: { readonly signal: AbortSignal },
): Promise<{ readonly inference: Inference; readonly repeated: boolean }> {
  const result = await queue.enqueue(submission, options)
  if (!result.repeated) onSubmitted(result.inference)
  return result
}
