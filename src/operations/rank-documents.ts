import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import { ServiceError } from '../core/error.ts'
import type { RankRequest, RankResult } from '../core/text-generation.ts'
import { bookWork } from './book-work.ts'
import { holdReading } from './budgets/hold-work-budget.ts'
import { estimatePairs } from './budgets/text-estimate.ts'
import { holdSlot } from './hold-slot.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Scores documents against a query while the caller waits.
 *
 * @throws {ServiceError} what the pool and the model throw, what {@link holdReading} throws, `unsupported_parameter` where the model scores nothing, and
 *   `inference_timeout`.
 */
export async function rankDocuments(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: RankRequest },
  { signal }: { readonly signal: AbortSignal },
): Promise<RankResult> {
  const { accountId, tokenId } = caller
  const { model } = request
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model, kind: 'rerank' }, deps.priceOf?.(model))
  const reservation = randomUUID()
  const most = estimatePairs(request)
  let failure: unknown = null
  try {
    await holdReading(deps, { accountId, tokenId, reservation, model, tokens: most, running: true }, { signal })
    await using slot = await holdSlot(deps, deps.pool.acquireText(model, { signal, account: accountId }), { signal, model })
    if (slot.model.rank === undefined)
      throw new ServiceError('unsupported_parameter', `The model ${model} runs on a server that cannot rank texts; use a reranker.`, {
        param: 'model',
      })
    return meter.countReading(await slot.model.rank(request, { signal: slot.signal }))
  } catch (error) {
    failure = error
    throw error
  } finally {
    bookWork(deps, { meter, reservation, failure }, { signal })
  }
}
