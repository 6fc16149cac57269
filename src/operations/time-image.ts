import type { ImageProgress, ImageResult } from '../core/image-generation.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { WorkEvent } from '../core/work-event.ts'

/**
 * Draws, and tells how long the texts with the first step, each later step, and what follows the last one took. Several pictures of one request
 * move on together or one after another; their steps count as one row.
 */
export async function timeImage(
  { clock, onWork }: { readonly clock: Clock; readonly onWork: (event: WorkEvent) => void },
  model: string,
  draw: (onProgress: (progress: ImageProgress) => void) => Promise<ImageResult>,
): Promise<ImageResult> {
  const startedAt = clock.now()
  let last: { readonly at: number; readonly step: number } | null = null
  const result = await draw(({ step }) => {
    const at = clock.now()
    if (last !== null && step > last.step) onWork({ type: 'step', model, ms: (at - last.at) / (step - last.step) })
    last = { at, step }
  })
  const stepsEndedAt = lastOf(last) ?? startedAt
  onWork({ type: 'phase', name: 'steps', model, startedAt, endedAt: stepsEndedAt })
  onWork({ type: 'phase', name: 'vae', model, startedAt: stepsEndedAt, endedAt: clock.now() })
  return result
}

/** Written in a callback, where the compiler does not follow. */
function lastOf(last: { readonly at: number } | null): number | undefined {
  return last?.at
}
