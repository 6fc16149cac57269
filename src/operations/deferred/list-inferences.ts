import { ServiceError } from '../../core/error.ts'
import type { InferenceStatus } from '../../core/inference.ts'
import type { InferenceLog, InferencePage } from '../../core/ports/inference-log.ts'

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
    throw new ServiceError('invalid_request_error', 'Set `after` to the `next` of a page of yours; there is no such request.', {
      param: 'after',
    })
  return log.list(query, options)
}
