import type { Caller } from '../core/access-token.ts'
import type { ImageProgress, ImageRequest, ImageResult } from '../core/image-generation.ts'
import type { InteractiveDependencies } from './interactive-dependencies.ts'
import { limitTime } from './limit-time.ts'
import { UsageMeter } from './usage-meter.ts'

/**
 * Draws the images of one request while its caller waits.
 *
 * @throws {ServiceError} what the pool and the model throw, and `inference_timeout`.
 */
export async function generateImage(
  deps: InteractiveDependencies,
  { caller, request }: { readonly caller: Caller; readonly request: ImageRequest },
  { signal, onProgress = () => {} }: { readonly signal: AbortSignal; readonly onProgress?: (progress: ImageProgress) => void },
): Promise<ImageResult> {
  const meter = new UsageMeter(deps, caller, { model: request.model, kind: 'image' })
  try {
    await using lease = await deps.pool.acquireImage(request.model, { signal, account: caller.accountId, sequences: request.seeds.length })
    using limited = limitTime(deps.clock, { limitMs: deps.runLimitMs, signal })
    const result = await lease.model.generate(request, { signal: limited.signal, onProgress })
    meter.images = result.images.length
    meter.succeeded = true
    return result
  } finally {
    meter.book({ signal })
  }
}
