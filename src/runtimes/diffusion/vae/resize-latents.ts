import type { LatentSize } from '../unet/conditioning.ts'
import { floatAt } from '../value-at.ts'

/**
 * Latents of one size as latents of another, bilinear between pixel centres, as PyTorch's `interpolate` without aligned corners.
 *
 * @param latents [channels, height, width]
 */
export function resizeLatents(latents: Float32Array, from: LatentSize, to: LatentSize): Float32Array {
  const columns = neighbours(from.width, to.width)
  const rows = neighbours(from.height, to.height)
  const resized = new Float32Array(from.channels * to.height * to.width)
  for (let channel = 0; channel < from.channels; channel++) {
    const plane = latents.subarray(channel * from.height * from.width)
    let at = channel * to.height * to.width
    for (const row of rows)
      for (const column of columns) {
        const mix = (line: number) =>
          (1 - column.share) * floatAt(plane, line * from.width + column.low) +
          column.share * floatAt(plane, line * from.width + column.high)
        resized[at++] = (1 - row.share) * mix(row.low) + row.share * mix(row.high)
      }
  }
  return resized
}

/** Between which two places each new place lies, and how near the second. */
function neighbours(from: number, to: number): readonly { readonly low: number; readonly high: number; readonly share: number }[] {
  return Array.from({ length: to }, (_, i) => {
    const place = Math.max(((i + 0.5) * from) / to - 0.5, 0)
    const low = Math.min(Math.floor(place), from - 1)
    return { low, high: Math.min(low + 1, from - 1), share: place - low }
  })
}
