import type { EmbeddingRequest, EmbeddingResult } from '../core/text-generation.ts'
import { holdSlot, type RunDependencies } from './hold-slot.ts'

/**
 * Embeds texts on a slot of their model, unmetered.
 *
 * @throws {ServiceError} what the pool and the model throw, and `inference_timeout`.
 */
export async function runEmbedding(
  deps: RunDependencies,
  { accountId, request, deferred = false }: { readonly accountId: string; readonly request: EmbeddingRequest; readonly deferred?: boolean },
  { signal }: { readonly signal: AbortSignal },
): Promise<EmbeddingResult> {
  await using slot = await holdSlot(deps, deps.pool.acquireText(request.model, { signal, account: accountId, deferred }), {
    signal,
    model: request.model,
  })
  return await slot.model.embed(request, { signal: slot.signal })
}
