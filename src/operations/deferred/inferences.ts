import { ServiceError } from '../../core/error.ts'
import type { Inference, InferenceStatus } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog, InferencePage } from '../../core/ports/inference-log.ts'
import type { InferenceQueue } from '../../core/ports/inference-queue.ts'
import type { Abortable } from '../../core/waiting.ts'
import { type InferenceEvent, type InferenceEvents, rereadMs } from './inference-events.ts'

export interface InferenceTarget {
  readonly id: string
  readonly accountId: string
}

/**
 * Reads one of the account's inferences with its latest progress.
 *
 * @throws {ServiceError} `request_not_found`, with the same message for a foreign, an unknown and a malformed id.
 */
export async function findInference(
  { log, events }: { readonly log: InferenceLog; readonly events: InferenceEvents },
  { id, accountId }: InferenceTarget,
  options: Abortable,
): Promise<Inference> {
  const inference = await log.find(id, accountId, options)
  if (inference === null) throw requestNotFound()
  if (inference.status !== 'running') return inference
  return { ...inference, progress: events.progressOf(id) ?? inference.progress }
}

/**
 * One page of the account's inferences, newest first.
 *
 * @throws {ServiceError} `invalid_request_error` if `after` is not one of the account's inferences.
 */
export async function listInferences(
  { log }: { readonly log: InferenceLog },
  query: { readonly accountId: string; readonly status: InferenceStatus | null; readonly limit: number; readonly after: string | null },
  options: Abortable,
): Promise<InferencePage> {
  const { accountId, after } = query
  if (after !== null && (await log.find(after, accountId, options)) === null)
    throw new ServiceError('invalid_request_error', 'No request has this id; set `after` to the `next` of one of your pages.', {
      param: 'after',
    })
  return log.list(query, options)
}

/** The error for a request that was deleted, never existed, or belongs to another account. */
export function requestNotFound(): ServiceError {
  return new ServiceError('request_not_found', 'This request does not exist; check the response_id and the access token.')
}

/**
 * Waits for one of the account's inferences to complete; returns its current record after `waitMs` or when the service stops.
 *
 * @throws {ServiceError} `request_not_found`.
 */
export async function waitForInference(
  deps: { readonly log: InferenceLog; readonly events: InferenceEvents; readonly clock: Clock },
  { waitMs, ...target }: InferenceTarget & { readonly waitMs: number },
  options: Abortable,
): Promise<Inference> {
  using subscription = deps.events.subscribe(target.id)
  const until = deps.clock.steadyNow() + waitMs
  let inference = await findInference(deps, target, options)
  for (let left = waitMs; inference.status !== 'completed' && left > 0 && !deps.events.closed; left = until - deps.clock.steadyNow()) {
    const event = await subscription.next(Math.min(left, rereadMs), options)
    if (event === null || event.type === 'status') inference = await findInference(deps, target, options)
  }
  return inference
}

/** An update for a watcher: the whole record after a change of state; otherwise progress, a preview or text. */
export type InferenceUpdate =
  | { readonly type: 'inference'; readonly inference: Inference }
  | Extract<InferenceEvent, { type: 'progress' | 'preview' | 'text' }>

/**
 * Follows one of the account's inferences from its current state to its completion, or until the service stops.
 *
 * @throws {ServiceError} `request_not_found`.
 */
export async function* watchInference(
  deps: { readonly log: InferenceLog; readonly events: InferenceEvents },
  target: InferenceTarget,
  options: Abortable,
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

/**
 * Cancels one of the account's inferences: a pending one at once, a running one at its next step or token. A completed one does not change.
 *
 * @throws {ServiceError} `request_not_found`.
 */
export async function cancelInference(
  { queue, events }: { readonly queue: InferenceQueue; readonly events: InferenceEvents },
  target: InferenceTarget,
  options: Abortable,
): Promise<Inference> {
  const inference = await queue.cancel(target, options)
  if (inference === null) throw requestNotFound()
  if (inference.status === 'running') events.publish(target.id, { type: 'cancel-requested' })
  else events.publish(target.id, { type: 'status', status: inference.status })
  return inference
}
