import type { ImageRequest, ImageResult } from '../../../core/image-generation.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import { toBase64 } from './image-result.ts'

/** The answer of POST /v1/images/generations; `seed` and `model` are additions. */
export function encodeOpenAiImages(clock: Clock, request: ImageRequest, result: ImageResult) {
  return {
    created: Math.floor(clock.now() / 1000),
    data: result.images.map(({ bytes, seed, removedForSafety }) => ({ b64_json: removedForSafety ? null : toBase64(bytes), seed })),
    model: request.model,
    output_format: request.encoding,
    size: `${request.width}x${request.height}`,
  }
}
