import type { CheckpointFamily } from '../checkpoint/checkpoint-family.ts'

/** Reference pictures that one request may show. */
export const mostReferences = 4

/** A larger reference is made smaller, in its own proportions: what the models were trained on. */
const mostReferencePixels = 1024 * 1024
const longestReferenceSide = 8192

/** Whether models of a family see other pictures beside the one they draw. */
export function takesReferences(family: CheckpointFamily): boolean {
  return family === 'flux2-klein'
}

/**
 * The size at which a reference is shown, as diffusers has it.
 *
 * @param step Pixels that both sides are multiples of.
 */
export function referenceSize(
  { width, height }: { readonly width: number; readonly height: number },
  step: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, Math.sqrt(mostReferencePixels / (width * height)))
  const side = (length: number): number => Math.min(longestReferenceSide, Math.max(1, Math.floor(Math.trunc(length * scale) / step)) * step)
  return { width: side(width), height: side(height) }
}
