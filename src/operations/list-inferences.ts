import type { InferenceStatus } from '../core/inference.ts'
import type { InferenceLog, InferencePage } from '../core/ports/inference-log.ts'

/** One page of the account's own inferences, newest first; an `after` that is not the account's gives an empty page. */
export async function listInferences(
  { log }: { readonly log: InferenceLog },
  query: { readonly accountId: string; readonly status: InferenceStatus | null; readonly limit: number; readonly after: string | null },
  options: { readonly signal: AbortSignal },
): Promise<InferencePage> {
  return log.list(query, options)
}
