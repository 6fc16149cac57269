import Type from 'typebox'
import type { EnlargementRequest, GeneratedImage, ImageResult } from '../../../core/image-generation.ts'
import type { Answer } from '../answer.ts'
import { toBase64 } from './image-result.ts'

/** Answer of POST /upscaling; also the stored output of an asynchronous one. */
export const upscalingResultSchema = Type.Object({
  image_b64: Type.Union([Type.String(), Type.Null()], { description: 'The image file in base64.' }),
  removed_for_safety: Type.Boolean(),
  prediction_time_ms: Type.Number({ description: 'Time spent computing, without waiting.' }),
  model: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
})

/**
 * Encodes the answer.
 *
 * @param write Encodes the picture; base64 by default.
 */
export function encodeUpscalingResult(
  { model, width, height }: Pick<EnlargementRequest, 'model' | 'width' | 'height'>,
  { images: [image], computeMs }: ImageResult,
  write: (picture: GeneratedImage, index: number) => string = ({ bytes }) => toBase64(bytes),
): Answer<typeof upscalingResultSchema> {
  const removed = image === undefined || image.removedForSafety
  return { image_b64: removed ? null : write(image, 0), removed_for_safety: removed, prediction_time_ms: computeMs, model, width, height }
}
