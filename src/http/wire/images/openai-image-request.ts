import Type from 'typebox'
import type { ImageRequest } from '../../../core/image-generation.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { createBodyChecker } from '../faults/body-checker.ts'
import { imageFaultCodes, refuseFaults } from '../faults/refuse-faults.ts'
import { imageEncodings, imageFields } from './image-fields.ts'
import { refusePixels } from './image-pixels.ts'
import { chooseImageModel, resolveImageRequest } from './image-request.ts'
import { findSizeFaults } from './image-size.ts'
import { findUnsupported, unsupportedField } from './unsupported-fields.ts'

const { prompt, negative_prompt, seed, steps, cfg_scale, sampler, style_preset } = imageFields

/** Fields of OpenAI's that no engine here honours. */
const unsupportedFields = {
  quality: unsupportedField(),
  style: unsupportedField(),
  background: unsupportedField(),
  moderation: unsupportedField(),
  output_compression: unsupportedField(),
  partial_images: unsupportedField(0),
  stream: unsupportedField(false),
}

/** The body of POST /v1/images/generations: OpenAI's fields, and some of ours. */
export const openAiImageSchema = Type.Object(
  {
    model: Type.Optional(Type.String({ minLength: 1, description: 'An installed image model; the default one when left out.' })),
    prompt,
    n: Type.Optional(Type.Integer({ minimum: 1, maximum: 16, default: 1 })),
    size: Type.Optional(
      Type.String({
        pattern: '^(auto|[1-9][0-9]{1,3}x[1-9][0-9]{1,3})$',
        default: 'auto',
        description: "Width x height, or auto for the model's own.",
      }),
    ),
    response_format: Type.Optional(Type.Enum(['b64_json'], { default: 'b64_json', description: 'Images are answered in base64 only.' })),
    output_format: Type.Optional(Type.Enum(imageEncodings, { default: 'png' })),
    user: Type.Optional(Type.String({ description: 'Your own name for the end user; accepted for compatibility, not kept.' })),
    ...{ negative_prompt, seed, steps, cfg_scale, sampler, style_preset },
    ...unsupportedFields,
  },
  { additionalProperties: false },
)

const checker = createBodyChecker(openAiImageSchema)

/**
 * Reads the body of POST /v1/images/generations.
 *
 * @param mostPixels Of one request, over all its pictures.
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseOpenAiImageRequest(catalog: ModelCatalog, received: unknown, mostPixels: number): ImageRequest {
  const { model, n, size, output_format = 'png', response_format: _, user: __, ...body } = checker.parse(received, imageFaultCodes)
  refuseFaults(findUnsupported(body, unsupportedFields), imageFaultCodes)
  const chosen = chooseImageModel(catalog, { field: 'model', name: model })
  const { native } = chosen
  const [width = native.width, height = native.height] = size === undefined || size === 'auto' ? [] : size.split('x').map(Number)
  refuseFaults(
    findSizeFaults(chosen, width, height).map((fault) => ({ ...fault, path: ['size'] })),
    imageFaultCodes,
  )
  const shape = { width, height, num_images: n ?? 1 }
  const request = resolveImageRequest({ ...body, ...shape, image_encoding: output_format }, chosen, {
    encoding: null,
    lonely: false,
    previews: false,
  })
  refusePixels(request, mostPixels, { count: 'n', size: ['size'] })
  return request
}
