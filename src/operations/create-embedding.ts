import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import type { EmbeddingRequest, EmbeddingResult } from '../core/text-generation.ts'
import { bookWork } from './book-work.ts'
import { holdWorkBudget } from './budgets/hold-work-budget.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { runEmbedding } from './run-embedding.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Embeds texts while their caller waits.
 *
 * @throws {ServiceError} what the pool, the model and {@link holdWorkBudget} throw, and `inference_timeout`.
 */
export async function createEmbedding(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: EmbeddingRequest },
  { signal }: { readonly signal: AbortSignal },
): Promise<EmbeddingResult> {
  const { accountId, tokenId } = caller
  const { model } = request
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model, kind: 'embedding' }, deps.priceOf?.(model))
  const reservation = randomUUID()
  const work = { kind: 'embedding', request, asBase64: false } as const
  let failure: unknown = null
  try {
    await holdWorkBudget(deps, { accountId, tokenId, reservation, work, running: true }, { signal })
    return meter.countReading(await runEmbedding(deps, { accountId, request }, { signal }))
  } catch (error) {
    failure = error
    throw error
  } finally {
    bookWork(deps, { meter, reservation, failure }, { signal })
  }
}
