import type { CheckpointFamily } from '../checkpoint/checkpoint-family.ts'

/** Maximum number of reference pictures per request. */
export const maxReferences = 4

/** Larger references are scaled down to this area, the size used in training. */
const maxReferencePixels = 1024 * 1024
const longestReferenceSide = 8192

/** Whether models of a family accept reference pictures. */
export function takesReferences(family: CheckpointFamily): boolean {
  return family === 'flux2-klein'
}

/** The step of the latents that references are shown in, in pixels of both sides. */
const referenceStep = 16

/** The pixels that references have together as they are shown. */
export function referencePixels(pictures: readonly { readonly width: number; readonly height: number }[]): number {
  return pictures.reduce((sum, picture) => {
    const { width, height } = referenceSize(picture, referenceStep)
    return sum + width * height
  }, 0)
}

/**
 * The input size of a reference, computed as in diffusers.
 *
 * @param step Both sides are multiples of this, in pixels.
 */
export function referenceSize(
  { width, height }: { readonly width: number; readonly height: number },
  step: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, Math.sqrt(maxReferencePixels / (width * height)))
  const side = (length: number): number => Math.min(longestReferenceSide, Math.max(1, Math.floor(Math.trunc(length * scale) / step)) * step)
  return { width: side(width), height: side(height) }
}
