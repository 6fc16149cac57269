import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import type { EmbeddingRequest, EmbeddingResult } from '../core/text-generation.ts'
import { bookWork } from './book-work.ts'
import { holdBudget } from './budgets/hold-budget.ts'
import { estimateInputs } from './budgets/text-estimate.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { runEmbedding } from './run-embedding.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Embeds texts while their caller waits.
 *
 * @throws {ServiceError} what the pool and the model throw, `quota_exceeded` and `inference_timeout`.
 */
export async function createEmbedding(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: EmbeddingRequest },
  { signal }: { readonly signal: AbortSignal },
): Promise<EmbeddingResult> {
  const { accountId, tokenId } = caller
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model: request.model, kind: 'embedding' })
  const reservation = randomUUID()
  const most = estimateInputs(request)
  await holdBudget(deps, { id: reservation, accountId, unit: 'tokens', tokens: { least: most, most }, images: 0 }, { signal })
  try {
    return meter.countReading(await runEmbedding(deps, { accountId, request }, { signal }))
  } finally {
    bookWork(deps, { meter, reservation }, { signal })
  }
}
