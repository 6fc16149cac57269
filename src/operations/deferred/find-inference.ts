import { ServiceError } from '../../core/error.ts'
import type { Inference, InferenceStatus } from '../../core/inference.ts'
import type { InferenceLog, InferencePage } from '../../core/ports/inference-log.ts'
import type { InferenceEvents } from './inference-events.ts'

export interface InferenceTarget {
  readonly id: string
  readonly accountId: string
}

/**
 * Reads one of the account's own inferences, with its progress up to the step.
 *
 * @throws {ServiceError} `request_not_found`, in the same words for a foreign, an unknown and a malformed id.
 */
export async function findInference(
  { log, events }: { readonly log: InferenceLog; readonly events: InferenceEvents },
  { id, accountId }: InferenceTarget,
  options: { readonly signal: AbortSignal },
): Promise<Inference> {
  const inference = await log.find(id, accountId, options)
  if (inference === null) throw requestNotFound()
  if (inference.status !== 'running') return inference
  return { ...inference, progress: events.progressOf(id) ?? inference.progress }
}

/**
 * One page of the account's own inferences, newest first.
 *
 * @throws {ServiceError} `invalid_request_error` for an `after` that is not the account's, or no longer there.
 */
export async function listInferences(
  { log }: { readonly log: InferenceLog },
  query: { readonly accountId: string; readonly status: InferenceStatus | null; readonly limit: number; readonly after: string | null },
  options: { readonly signal: AbortSignal },
): Promise<InferencePage> {
  const { accountId, after } = query
  if (after !== null && (await log.find(after, accountId, options)) === null)
    throw new ServiceError('invalid_request_error', 'No request has this id; set `after` to the `next` of one of your pages.', {
      param: 'after',
    })
  return log.list(query, options)
}

/** For requests that are gone, never were, or belong to somebody else: the same words. */
export function requestNotFound(): ServiceError {
  return new ServiceError('request_not_found', 'This request does not exist; check the response_id and the access token.')
}
