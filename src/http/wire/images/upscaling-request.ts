import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../core/error.ts'
import { type EnlargementRequest, imageEncodings } from '../../../core/image-generation.ts'
import type { InspectImage } from '../../../core/images/inspect-image.ts'
import { listUpscalers, type NamedUpscaler } from '../../../core/images/upscalers.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { choiceField, closed, integerField, numberField, optional } from '../../faults/object-schema.ts'
import { faultsError, fieldFault, imageFaultCodes } from '../../faults/refuse-faults.ts'
import { decodeImage } from './decode-image.ts'
import type { ImageHints } from './image-faults.ts'
import { imageDefaults } from './image-fields.ts'
import { refusePixels } from './image-pixels.ts'

const side = (other: string) => integerField(8, 8192, `Pixels; with ${other}.`)

/** The body of POST /upscaling. */
export const upscalingRequestSchema = closed({
  init_image: Type.String({ minLength: 1, description: 'The image to enlarge: PNG, JPEG or WebP in base64.' }),
  ...optional({
    model: Type.String({ minLength: 1, description: 'An installed upscaler; the only one by default.' }),
    scale: numberField(1, 8, "Enlargement factor; the upscaler's own by default."),
    output_image_width: side('output_image_height'),
    output_image_height: side('output_image_width'),
    output_image_encoding: choiceField(imageEncodings, 'File format of the image.', imageDefaults.image_encoding),
  }),
})
type UpscalingBody = Static<typeof upscalingRequestSchema>
const checker = createBodyChecker(upscalingRequestSchema)

/**
 * Reads the body of POST /upscaling, chooses the upscaler, checks the picture and calculates the size.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export async function parseUpscalingRequest(
  { catalog, inspectImage }: { readonly catalog: ModelCatalog; readonly inspectImage: InspectImage },
  { body: received, hints, maxPixels }: { readonly body: unknown; readonly hints: ImageHints; readonly maxPixels: number },
  options: Abortable,
): Promise<EnlargementRequest> {
  const body = checker.parse(received, imageFaultCodes)
  const { id, upscaler } = chooseUpscaler(catalog, body.model)
  const picture = await decodeImage(inspectImage, { field: 'init_image', text: body.init_image }, options)
  const request: EnlargementRequest = {
    model: id,
    image: picture.bytes,
    ...sizeOf(body, picture, upscaler.scale),
    encoding: body.output_image_encoding ?? hints.encoding ?? imageDefaults.image_encoding,
  }
  refusePixels({ ...request, seeds: [0] }, maxPixels, { count: 'num_images', size: ['output_image_width', 'output_image_height'] })
  const computed = picture.width * picture.height * upscaler.scale ** 2
  if (computed > maxPixels) {
    const words = `must be smaller: enlarged ${upscaler.scale} times by ${id} it has ${computed} pixels, over the ${maxPixels} of one request (image-pixels).`
    throw faultsError([fieldFault('init_image', words, 'range')], imageFaultCodes)
  }
  return request
}

function sizeOf(
  { scale, output_image_width: width, output_image_height: height }: UpscalingBody,
  picture: { readonly width: number; readonly height: number },
  own: number,
): { readonly width: number; readonly height: number } {
  const fault = (field: string, words: string): never => {
    throw faultsError([fieldFault(field, words)], imageFaultCodes)
  }
  if (width !== undefined && height !== undefined)
    return scale === undefined
      ? { width, height }
      : fault('scale', 'must be left out beside `output_image_width` and `output_image_height`.')
  if (width !== undefined) return fault('output_image_height', 'is needed with `output_image_width`.')
  if (height !== undefined) return fault('output_image_width', 'is needed with `output_image_height`.')
  const times = scale ?? own
  return { width: Math.round(picture.width * times), height: Math.round(picture.height * times) }
}

/**
 * The requested upscaler, or the only one.
 *
 * @throws {ServiceError} `model_not_found`, `unsupported`, `validation_error`.
 */
function chooseUpscaler(catalog: ModelCatalog, name: string | undefined): NamedUpscaler {
  const known = listUpscalers(catalog)
  const names = known.map(({ id }) => id).join(', ')
  const [only, ...more] = known
  if (only === undefined)
    throw new ServiceError('model_not_found', 'No upscaler is installed; add an ESRGAN network (.safetensors) to the models folder.', {
      param: 'model',
    })
  if (name === undefined) {
    if (more.length === 0) return only
    throw new ServiceError('validation_error', `\`model\` must name one of the upscalers: ${names}.`, { param: 'model' })
  }
  const found = known.find(({ id }) => id === name)
  if (found !== undefined) return found
  const unusable = catalog.findUnusable(name)
  const reason =
    unusable === undefined ? `must be an installed upscaler: ${names}` : `must name another upscaler: ${shortName(name)} ${unusable.reason}`
  throw new ServiceError(unusable === undefined ? 'model_not_found' : 'unsupported', `\`model\` ${reason}.`, { param: 'model' })
}
