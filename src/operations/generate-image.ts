import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import type { ImageProgress, ImageRequest, ImageResult } from '../core/image-generation.ts'
import { bookWork } from './book-work.ts'
import { holdWorkBudget } from './budgets/hold-work-budget.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { runImage } from './run-image.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Draws the images of one request while its caller waits, and books them.
 *
 * @throws {ServiceError} what {@link holdWorkBudget} throws, and what {@link runImage} throws.
 */
export async function generateImage(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: ImageRequest },
  { signal, onProgress = () => {} }: { readonly signal: AbortSignal; readonly onProgress?: (progress: ImageProgress) => void },
): Promise<ImageResult> {
  const { accountId, tokenId } = caller
  const { model } = request
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model, kind: 'image' }, deps.priceOf?.(model))
  const reservation = randomUUID()
  let failure: unknown = null
  try {
    await holdWorkBudget(deps, { accountId, tokenId, reservation, work: { kind: 'image', request }, running: true }, { signal })
    return meter.countImages(await runImage(deps, { accountId, request }, { signal, onProgress }))
  } catch (error) {
    failure = error
    throw error
  } finally {
    bookWork(deps, { meter, reservation, failure }, { signal })
  }
}
