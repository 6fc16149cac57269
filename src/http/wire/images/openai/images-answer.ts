import Type from 'typebox'
import { type ImageRequest, type ImageResult, imageEncodings } from '../../../../core/image-generation.ts'
import type { StoredPicture } from '../../../../core/inference.ts'
import type { Clock } from '../../../../core/ports/clock.ts'
import { optional } from '../../../faults/object-schema.ts'
import type { Answer } from '../../answer.ts'
import { type imageResultSchema, toBase64 } from '../image-result.ts'
import { type ImageOptions, imageOptionDefaults, plainQuality } from './image-options.ts'
import type { ImageDelivery, OpenAiImages } from './resolve-images.ts'

/** Answer of POST /v1/images/generations, edits and variations. */
export const openAiImagesSchema = Type.Object({
  created: Type.Integer({ description: 'Unix seconds.' }),
  background: Type.Literal('opaque'),
  data: Type.Array(
    Type.Object({
      ...optional({
        b64_json: Type.Union([Type.String(), Type.Null()], { description: 'The file in base64; null when it was removed for safety.' }),
        url: Type.Union([Type.String(), Type.Null()], {
          description: 'The address of the file for 24 hours; null when it was removed for safety.',
        }),
      }),
      seed: Type.Integer(),
    }),
  ),
  model: Type.String(),
  output_format: Type.Enum(imageEncodings),
  quality: Type.Enum(['low', 'medium', 'high']),
  size: Type.Optional(Type.String({ description: 'Only sizes that the published clients know, such as 1024x1024.' })),
})

type ImagesAnswer = Answer<typeof openAiImagesSchema>

/** Sizes that published clients accept in answers; others would fail their checks. */
const publishedSizes = ['1024x1024', '1024x1536', '1536x1024']

function isPublishedSize(width: number, height: number): boolean {
  return publishedSizes.includes(`${width}x${height}`)
}

/** The fields of an answer other than its pictures. */
export function describeImages(
  clock: Clock,
  { width, height, encoding, model }: Pick<ImageRequest, 'width' | 'height' | 'encoding' | 'model'>,
  { quality }: Pick<ImageDelivery, 'quality'>,
): Omit<ImagesAnswer, 'data'> {
  return {
    created: Math.floor(clock.now() / 1000),
    background: 'opaque',
    model,
    output_format: encoding,
    quality,
    size: isPublishedSize(width, height) ? `${width}x${height}` : undefined,
  }
}

/** The answer of OpenAI's routes that draw, with the pictures in it; `seed` and `model` are additions. */
export function encodeOpenAiImages(clock: Clock, request: ImageRequest, delivery: ImageDelivery, result: ImageResult): ImagesAnswer {
  return {
    ...describeImages(clock, request, delivery),
    data: result.images.map(({ bytes, seed, removedForSafety }) => ({ b64_json: removedForSafety ? null : toBase64(bytes), seed })),
  }
}

/**
 * The same answer for a drawing in a batch.
 *
 * @param body The line's body, as parsed before.
 * @param stored The drawing's stored output.
 */
export function encodeStoredImages(
  clock: Clock,
  options: ImageOptions,
  { images, ...stored }: Answer<typeof imageResultSchema>,
): ImagesAnswer {
  const { output_format: encoding, quality } = { ...imageOptionDefaults, ...options }
  return {
    ...describeImages(clock, { ...stored, encoding }, { quality: plainQuality(quality) }),
    data: images.map(({ image_b64, seed }) => ({ b64_json: image_b64, seed })),
  }
}

/**
 * The answer with links to the pictures.
 *
 * @param link Returns the link of the picture at an index.
 */
export function encodeImageLinks(
  clock: Clock,
  { request, delivery, pictures }: OpenAiImages & { readonly pictures: readonly StoredPicture[] },
  link: (index: number) => string,
): ImagesAnswer {
  return {
    ...describeImages(clock, request, delivery),
    data: pictures.map(({ seed, removedForSafety }, index) => ({ url: removedForSafety ? null : link(index), seed })),
  }
}
