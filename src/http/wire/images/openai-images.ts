import type { ImageRequest, ImageResult } from '../../../core/image-generation.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { Answer } from '../answer.ts'
import type { openAiImagesSchema } from './image-answers.ts'
import { toBase64 } from './image-result.ts'

/** The answer of POST /v1/images/generations; `seed` and `model` are additions. */
export function encodeOpenAiImages(clock: Clock, request: ImageRequest, result: ImageResult): Answer<typeof openAiImagesSchema> {
  return {
    created: Math.floor(clock.now() / 1000),
    data: result.images.map(({ bytes, seed, removedForSafety }) => ({ b64_json: removedForSafety ? null : toBase64(bytes), seed })),
    model: request.model,
    output_format: request.encoding,
    size: `${request.width}x${request.height}`,
  }
}
