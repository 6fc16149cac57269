import Type from 'typebox'
import type { EnlargementRequest, GeneratedImage, ImageRequest, ImageResult } from '../../../core/image-generation.ts'
import { controlWarnings } from '../../../core/images/controlnet.ts'
import type { Answer } from '../answer.ts'

/** Answer of POST /generate/sdxl; also the stored output of an asynchronous one. */
export const imageResultSchema = Type.Object({
  images: Type.Array(
    Type.Object({
      image_b64: Type.Union([Type.String(), Type.Null()], {
        description: 'The image file in base64; null when it was removed for safety.',
      }),
      removed_for_safety: Type.Boolean(),
      safety_score: Type.Union([Type.Number(), Type.Null()]),
      seed: Type.Integer(),
    }),
  ),
  prediction_time_ms: Type.Number({ description: 'Time spent computing, without waiting.' }),
  model: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Parts of the request that were ignored or done differently; absent if there are none.',
    }),
  ),
})

/**
 * The answer of POST /generate/sdxl; also the stored output of an asynchronous one.
 *
 * @param write Encodes a picture; base64 by default.
 */
export function encodeImageResult(
  request: Pick<ImageRequest, 'model' | 'width' | 'height' | 'controlnets'>,
  result: ImageResult,
  write: (picture: GeneratedImage, index: number) => string = ({ bytes }) => toBase64(bytes),
): Answer<typeof imageResultSchema> {
  const warnings = [...controlWarnings(request.controlnets ?? []), ...(result.warnings ?? [])]
  return {
    images: result.images.map((image, index) => ({
      image_b64: image.removedForSafety ? null : write(image, index),
      removed_for_safety: image.removedForSafety,
      safety_score: image.safetyScore,
      seed: image.seed,
    })),
    prediction_time_ms: result.computeMs,
    model: request.model,
    width: request.width,
    height: request.height,
    warnings: warnings.length === 0 ? undefined : warnings,
  }
}

/** Bytes as base64, without copying them. */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

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
