import type { Inference } from '../../core/inference.ts'
import type { InferenceQueue } from '../../core/ports/inference-queue.ts'
import { type InferenceTarget, requestNotFound } from './find-inference.ts'
import type { InferenceEvents } from './inference-events.ts'

/**
 * Cancels one of the account's own inferences: a pending one at once, a running one at its next step or token;
 * a completed one stays as it is.
 *
 * @throws {ServiceError} `request_not_found`.
 */
export async function cancelInference(
  { queue, events }: { readonly queue: InferenceQueue; readonly events: InferenceEvents },
  target: InferenceTarget,
  options: { readonly signal: AbortSignal },
): Promise<Inference> {
  const inference = await queue.cancel(target, options)
  if (inference === null) throw requestNotFound()
  if (inference.status === 'running') events.publish(target.id, { type: 'cancel-requested' })
  else events.publish(target.id, { type: 'status', status: inference.status })
  return inference
}
