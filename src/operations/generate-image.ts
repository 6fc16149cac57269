import { randomUUID } from 'node:crypto'
import type { Caller } from '../core/access-token.ts'
import type { ImageProgress, ImageRequest, ImageResult } from '../core/image-generation.ts'
import { bookWork } from './book-work.ts'
import { holdBudget } from './budgets/hold-budget.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { runImage } from './run-image.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Draws the images of one request while its caller waits, and books them.
 *
 * @throws {ServiceError} `quota_exceeded`, and what {@link runImage} throws.
 */
export async function generateImage(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: ImageRequest },
  { signal, onProgress = () => {} }: { readonly signal: AbortSignal; readonly onProgress?: (progress: ImageProgress) => void },
): Promise<ImageResult> {
  const { accountId, tokenId } = caller
  const meter = new UsageMeter(deps.clock, { accountId, tokenId, model: request.model, kind: 'image' })
  const reservation = randomUUID()
  const images = request.seeds.length
  await holdBudget(deps, { id: reservation, accountId, unit: 'images', tokens: { least: 0, most: 0 }, images }, { signal })
  try {
    return meter.countImages(await runImage(deps, { accountId, request }, { signal, onProgress }))
  } finally {
    bookWork(deps, { meter, reservation }, { signal })
  }
}
