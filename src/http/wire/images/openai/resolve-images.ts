import { defined } from '../../../../core/defined.ts'
import type { FieldFault } from '../../../../core/error.ts'
import { defaultEncodingQuality, type ImageRequest } from '../../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../../core/model.ts'
import type { ModelCatalog } from '../../../../core/ports/model-catalog.ts'
import { createBodyChecker } from '../../../faults/body-checker.ts'
import { fieldFault, imageFaultCodes, refuseFaults } from '../../../faults/refuse-faults.ts'
import { findLoraAssetFaults, type NamedAssets, type PacedModel, paceByLoras, resolveAssets } from '../image-assets.ts'
import { refusePixels } from '../image-pixels.ts'
import { chooseImageModel, resolveImageRequest } from '../image-request.ts'
import { findSizeFaults } from '../image-size.ts'
import { findUnsupported } from '../unsupported-fields.ts'
import {
  type ImageOptions,
  imageOptionDefaults,
  openAiImageSchema,
  plainQuality,
  stepsFor,
  unsupportedImageOptions,
} from './image-options.ts'

/** The delivery of the answer. */
export interface ImageDelivery {
  readonly stream: boolean
  /** Number of previews, 0 to 3. */
  readonly partialImages: number
  /** Whether pictures are returned as links. */
  readonly links: boolean
  readonly quality: 'low' | 'medium' | 'high'
}

/** A request in OpenAI's format, and its answer's delivery. */
export interface OpenAiImages {
  readonly request: ImageRequest
  readonly delivery: ImageDelivery
}

const checker = createBodyChecker(openAiImageSchema)

/**
 * Reads the body of POST /v1/images/generations.
 *
 * @param maxPixels Limit of one request, over all its pictures.
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export function parseOpenAiImageRequest(catalog: ModelCatalog, received: unknown, maxPixels: number): OpenAiImages {
  const body = checker.parse(received, imageFaultCodes)
  refuseFaults(findUnsupported(body, unsupportedImageOptions), imageFaultCodes)
  const { model, assets, spacing } = chooseModel(catalog, body)
  refuseFaults(findLoraAssetFaults(assets, model, { catalog, field: 'prompt' }), imageFaultCodes)
  return resolveImages(body, { model, assets, spacing, picture: null, maxPixels })
}

/**
 * The model for a body, with the defaults of its LoRAs, and the assets in its prompts.
 *
 * @throws {ServiceError} `unsupported`, `model_not_found`.
 */
export function chooseModel(
  catalog: ModelCatalog,
  { model: name, prompt, negative_prompt = '' }: ImageOptions & { readonly prompt: string },
): PacedModel & { readonly assets: NamedAssets } {
  const assets = resolveAssets({ prompt, negative_prompt }, catalog)
  return { ...paceByLoras(chooseImageModel(catalog, { field: 'model', name }), assets), assets }
}

/**
 * Fills in every default of a well-formed body.
 *
 * @param given.picture Size of the picture that it starts from; null = none.
 * @param given.maxPixels Limit of one request, over all its pictures.
 * @throws {ServiceError} `validation_error`, `unsupported`.
 */
export function resolveImages(
  options: ImageOptions & { readonly prompt: string },
  {
    model,
    assets,
    spacing,
    picture,
    maxPixels,
  }: ReturnType<typeof chooseModel> & {
    readonly picture: { readonly width: number; readonly height: number } | null
    readonly maxPixels: number
  },
): OpenAiImages {
  const filled = { ...imageOptionDefaults, ...options }
  const { size = 'auto', n, quality, output_format, output_compression, stream, partial_images } = filled
  const { prompt, negative_prompt, seed, cfg_scale, sampler, style_preset } = options
  refuseFaults([...findDeliveryFaults(filled)], imageFaultCodes)
  const automatic = picture === null ? model.native : nearestSize(model, picture)
  const [width = automatic.width, height = automatic.height] = size === 'auto' ? [] : size.split('x').map(Number)
  refuseFaults(
    findSizeFaults(model, width, height).map((fault) => ({ ...fault, path: ['size'] })),
    imageFaultCodes,
  )
  const steps = options.steps ?? (quality === 'auto' ? undefined : stepsFor(quality, model))
  const drawing = { prompt, negative_prompt, width, height, steps, cfg_scale, num_images: n, seed, sampler, style_preset }
  const hints = { encoding: null, lonely: false, previews: partial_images > 0 }
  const body = defined({ ...drawing, image_encoding: output_format })
  const request = { ...resolveImageRequest(body, model, { hints, assets }), ...spacing }
  refusePixels(request, maxPixels, { count: 'n', size: ['size'] })
  const encodingQuality = output_format === 'png' ? defaultEncodingQuality : Math.max(1, output_compression ?? defaultEncodingQuality)
  return {
    request: encodingQuality === defaultEncodingQuality ? request : { ...request, encodingQuality },
    delivery: { stream, partialImages: partial_images, links: options.response_format === 'url', quality: plainQuality(quality) },
  }
}

function* findDeliveryFaults(options: ImageOptions & typeof imageOptionDefaults): Iterable<FieldFault> {
  const { stream, partial_images, response_format, output_format, output_compression, quality, steps } = options
  if (!stream && partial_images > 0) yield fieldFault('partial_images', 'needs `stream: true`: set it, or leave this out.')
  if (stream && response_format === 'url') yield fieldFault('response_format', 'must be b64_json with `stream: true`.')
  if (output_format === 'png' && output_compression !== undefined && output_compression < 100)
    yield fieldFault('output_compression', 'must be 100 or left out with an `output_format` of png: use jpeg or webp.')
  if (quality !== 'auto' && steps !== undefined)
    yield fieldFault('quality', 'must be auto or left out with `steps`, which has the same effect.')
}

interface Size {
  readonly width: number
  readonly height: number
}

/**
 * The model's size with the proportions nearest to a picture's. For a model that draws any size, it has about as many pixels as the native
 * size.
 */
function nearestSize({ native, sizes }: Pick<ImageModelDescriptor, 'native' | 'sizes'>, picture: Size): Size {
  if (sizes.type === 'range') {
    const wanted = Math.sqrt((native.width * native.height) / (picture.width * picture.height))
    const fitting = Math.max(wanted, sizes.min / Math.min(picture.width, picture.height))
    const scale = Math.min(fitting, sizes.max / Math.max(picture.width, picture.height))
    const side = (length: number): number => Math.min(sizes.max, Math.max(sizes.min, Math.round((length * scale) / 8) * 8))
    return { width: side(picture.width), height: side(picture.height) }
  }
  const distance = ({ width, height }: Size): number => Math.abs(Math.log((width * picture.height) / (height * picture.width)))
  return [native, ...sizes.sizes].reduce((best, size) => (distance(size) < distance(best) ? size : best))
}
