import type { EmbeddingRequest, EmbeddingResult } from '../core/text-generation.ts'
import { holdRunning, type RunningWork } from './budgets/hold-work-budget.ts'
import { holdSlot, type RunDependencies } from './hold-slot.ts'

/**
 * Embeds texts on a slot of their model, unmetered.
 *
 * @throws {ServiceError} what the pool, the model and {@link holdRunning} throw, and `inference_timeout`.
 */
export async function runEmbedding(
  deps: RunDependencies,
  { accountId, request, reservation }: RunningWork<EmbeddingRequest>,
  { signal }: { readonly signal: AbortSignal },
): Promise<EmbeddingResult> {
  const deferred = reservation !== undefined
  await using slot = await holdSlot(deps, deps.pool.acquireText(request.model, { signal, account: accountId, deferred }), {
    signal,
    model: request.model,
  })
  await holdRunning(deps, { accountId, reservation, work: { kind: 'embedding', request, asBase64: false } }, { signal: slot.signal })
  return await slot.model.embed(request, { signal: slot.signal })
}
