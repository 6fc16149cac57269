import type { Inference } from '../../core/inference.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import { findInference, type InferenceTarget } from './find-inference.ts'
import { type InferenceEvent, type InferenceEvents, rereadMs } from './inference-events.ts'

/** What a watcher is told: the whole record whenever its state changed, else progress, previews and texts. */
export type InferenceUpdate =
  | { readonly type: 'inference'; readonly inference: Inference }
  | Extract<InferenceEvent, { type: 'progress' | 'preview' | 'text' }>

/**
 * Follows one of the account's own inferences from its present state to its completion, or to the end of the service.
 *
 * @throws {ServiceError} `request_not_found`.
 */
export async function* watchInference(
  deps: { readonly log: InferenceLog; readonly events: InferenceEvents },
  target: InferenceTarget,
  options: { readonly signal: AbortSignal },
): AsyncGenerator<InferenceUpdate, void, undefined> {
  using subscription = deps.events.subscribe(target.id, { withText: true })
  let known = await findInference(deps, target, options)
  yield { type: 'inference', inference: known }
  while (known.status !== 'completed') {
    const event = deps.events.closed ? null : await subscription.next(rereadMs, options)
    if (event?.type === 'progress' || event?.type === 'preview' || event?.type === 'text') yield event
    else {
      const current = await findInference(deps, target, options)
      if (differs(known, current)) yield { type: 'inference', inference: current }
      known = current
      if (deps.events.closed) return
    }
  }
}

function differs(a: Inference, b: Inference): boolean {
  return a.status !== b.status || a.attempt !== b.attempt || a.queuePosition !== b.queuePosition
}
