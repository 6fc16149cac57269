import Type from 'typebox'
import type { EnlargementRequest } from '../../../core/image-generation.ts'
import { readEmbeddedText } from '../../../core/images/embedded-text.ts'
import { parseParameters } from '../../../core/images/parameters-text.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { closed, numberField, optional } from '../../faults/object-schema.ts'
import { imageFaultCodes, refuseFaults } from '../../faults/refuse-faults.ts'
import { ignoredFields } from '../ignored-fields.ts'
import { decodeImage } from '../images/decode-image.ts'
import type { ImageParsing } from '../images/image-request.ts'
import { parseUpscalingRequest } from '../images/upscaling-request.ts'
import { nameOf } from './controlnet-units.ts'
import { inA1111Words, upscalingWords } from './foreign-words.ts'
import { findOnlyFaults, only, onlyFields } from './only-values.ts'

const picture = 'An image in base64: PNG, JPEG or WebP; a data-URI prefix is accepted.'

const extraOnly = {
  resize_mode: only('send the factor as `upscaling_resize`', 0),
  gfpgan_visibility: only('Sepia does not restore faces', 0),
  codeformer_visibility: only('Sepia does not restore faces', 0),
  upscaler_2: only('one upscaler enlarges the image', 'None', ''),
} as const

/** The body of POST /sdapi/v1/extra-single-image. */
export const extraSchema = closed({
  image: Type.String({ minLength: 1, description: picture }),
  ...optional({
    upscaler_1: Type.String({
      minLength: 1,
      maxLength: 400,
      description: 'An installed upscaler, see /sdapi/v1/upscalers; the only one by default.',
    }),
    upscaling_resize: numberField(1, 8, 'How much larger.', 2),
  }),
  ...onlyFields(extraOnly),
  ...ignoredFields(
    'show_extras_results',
    'codeformer_weight',
    'upscaling_resize_w',
    'upscaling_resize_h',
    'upscaling_crop',
    'extras_upscaler_2_visibility',
    'upscale_first',
  ),
})
const extraChecker = createBodyChecker(extraSchema)

/** Answer of POST /sdapi/v1/extra-single-image. */
export const extraAnswerSchema = Type.Object({
  html_info: Type.String({ description: 'Empty.' }),
  image: Type.String({ description: 'A PNG file in base64.' }),
})

/**
 * Reads the body of POST /sdapi/v1/extra-single-image.
 *
 * @throws {ServiceError} the errors of /upscaling, with A1111's field names.
 */
export async function parseExtra(
  deps: ImageParsing,
  { body: received, maxPixels }: { readonly body: unknown; readonly maxPixels: number },
  options: Abortable,
): Promise<EnlargementRequest> {
  const { image, upscaler_1: name, upscaling_resize: scale = 2, ...rest } = extraChecker.parse(received, imageFaultCodes)
  refuseFaults(findOnlyFaults(rest, extraOnly), imageFaultCodes)
  const body = { init_image: image, scale, output_image_encoding: 'png', ...(name !== undefined && { model: nameOf(name) }) }
  const hints = { encoding: null, lonely: false, previews: false }
  return inA1111Words(upscalingWords, () => parseUpscalingRequest(deps, { body, hints, maxPixels }, options))
}

/** The body of POST /sdapi/v1/png-info. */
export const pngInfoSchema = closed({ image: Type.String({ minLength: 1, description: picture }) })
const pngInfoChecker = createBodyChecker(pngInfoSchema)

/** Answer of POST /sdapi/v1/png-info. */
export const pngInfoAnswerSchema = Type.Object({
  info: Type.String({ description: 'The parameters stored in the file; empty if there are none.' }),
  items: Type.Object({}, { description: 'The same text by its key in the file.' }),
  parameters: Type.Record(Type.String(), Type.String(), {
    description: 'The same, parsed: `Prompt`, `Negative prompt`, `Steps`, `Seed` and so on.',
  }),
})

/**
 * Reads the parameters stored in an image file.
 *
 * @throws {ServiceError} `validation_error` when the file is not an image.
 */
export async function readPngInfo(
  { inspectImage }: Pick<ImageParsing, 'inspectImage'>,
  received: unknown,
  options: Abortable,
): Promise<{ readonly info: string; readonly items: object; readonly parameters: Readonly<Record<string, string>> }> {
  const { image } = pngInfoChecker.parse(received, imageFaultCodes)
  const { bytes } = await decodeImage(inspectImage, { field: 'image', text: image }, options)
  const info = readEmbeddedText(bytes)
  if (info === null) return { info: '', items: {}, parameters: {} }
  const { prompt, negativePrompt, fields } = parseParameters(info)
  const size = /^(\d+)x(\d+)$/.exec(fields.get('Size') ?? '')
  const pairs = [
    ['Prompt', prompt],
    ['Negative prompt', negativePrompt],
    ...fields,
    ...(size === null ? [] : [['Size-1', size[1] ?? ''] as const, ['Size-2', size[2] ?? ''] as const]),
  ] as const
  return { info, items: { parameters: info }, parameters: Object.fromEntries(pairs) }
}
