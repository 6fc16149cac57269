import type { ImageProgress, ImageRequest, ImageResult } from '../core/image-generation.ts'
import { holdRunning, type RunningWork } from './budgets/hold-work-budget.ts'
import { holdSlot, type RunDependencies } from './hold-slot.ts'
import { timeImage } from './time-image.ts'

/**
 * Draws the images of a request on a slot of its model, unmetered.
 *
 * @throws {ServiceError} what the pool, the model and {@link holdRunning} throw, and `inference_timeout`.
 */
export async function runImage(
  deps: RunDependencies,
  { accountId, request, reservation }: RunningWork<ImageRequest>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: ImageProgress) => void },
): Promise<ImageResult> {
  await using slot = await holdSlot(
    deps,
    deps.pool.acquireImage(request.model, {
      signal,
      account: accountId,
      sequences: request.seeds.length,
      deferred: reservation !== undefined,
    }),
    { signal, model: request.model },
  )
  await holdRunning(deps, { accountId, reservation, work: { kind: 'image', request } }, { signal: slot.signal })
  const draw = (told: typeof onProgress) => slot.model.generate(request, { signal: slot.signal, onProgress: told })
  const { clock, onWork } = deps
  if (onWork === undefined) return await draw(onProgress)
  return await timeImage({ clock, onWork }, request.model, (onStep) =>
    draw((progress) => {
      onStep(progress)
      onProgress(progress)
    }),
  )
}
