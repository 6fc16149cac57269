import Type from 'typebox'
import { imageEncodings } from '../../../core/image-generation.ts'
import { optional } from '../../faults/object-schema.ts'

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
