import type { OutputImages } from '../../../../contract/outputs.ts'
import { imageAddress } from '../../../interface/image-address.ts'
import { request } from '../../../interface/request.ts'

/** An image that can be shown. */
export interface ShownImage {
  readonly inferenceId: string
  readonly index: number
  readonly address: string
  readonly seed: number
  readonly removedForSafety: boolean
}

/** The content of a stored output without the pictures. */
export async function outputFacts(inferenceId: string): Promise<{ readonly images: readonly ShownImage[]; readonly computeMs: number }> {
  const { images, computeMs } = await request<OutputImages>(`/console/api/outputs/${encodeURIComponent(inferenceId)}/images`)
  return {
    computeMs,
    images: images.map((image, index) => ({ ...image, inferenceId, index, address: imageAddress(inferenceId, index) })),
  }
}
