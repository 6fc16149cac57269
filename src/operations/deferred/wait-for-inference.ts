import type { Inference } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import { findInference, type InferenceTarget } from './find-inference.ts'
import { type InferenceEvents, rereadMs } from './inference-events.ts'

/**
 * Reads one of the account's own inferences as soon as it is completed, or as it is after `waitMs` or when the service ends.
 *
 * @throws {ServiceError} `request_not_found`.
 */
export async function waitForInference(
  deps: { readonly log: InferenceLog; readonly events: InferenceEvents; readonly clock: Clock },
  { waitMs, ...target }: InferenceTarget & { readonly waitMs: number },
  options: { readonly signal: AbortSignal },
): Promise<Inference> {
  using subscription = deps.events.subscribe(target.id)
  const until = deps.clock.now() + waitMs
  let inference = await findInference(deps, target, options)
  for (let left = waitMs; inference.status !== 'completed' && left > 0 && !deps.events.closed; left = until - deps.clock.now()) {
    const event = await subscription.next(Math.min(left, rereadMs), options)
    if (event === null || event.type === 'status') inference = await findInference(deps, target, options)
  }
  return inference
}
