import type { ImageRequest, ImageResult } from '../../../core/image-generation.ts'

import type { Answer } from '../answer.ts'
import type { imageResultSchema } from './image-answers.ts'

/** The answer of POST /generate/sdxl; also the stored output of an asynchronous one. */
export function encodeImageResult(
  request: Pick<ImageRequest, 'model' | 'width' | 'height'>,
  result: ImageResult,
): Answer<typeof imageResultSchema> {
  return {
    images: result.images.map(({ bytes, removedForSafety, safetyScore, seed }) => ({
      image_b64: removedForSafety ? null : toBase64(bytes),
      removed_for_safety: removedForSafety,
      safety_score: safetyScore,
      seed,
    })),
    prediction_time_ms: result.computeMs,
    model: request.model,
    width: request.width,
    height: request.height,
  }
}

/** Bytes as base64, without a copy of them. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
