import type { FieldFault } from '../../../../core/error.ts'
import { defaultEncodingQuality, type ImageRequest } from '../../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../../core/model.ts'
import { fieldFault, imageFaultCodes, refuseFaults } from '../../../faults/refuse-faults.ts'
import type { NamedAssets } from '../image-assets.ts'
import { refusePixels } from '../image-pixels.ts'
import { resolveImageRequest } from '../image-request.ts'
import { findSizeFaults } from '../image-size.ts'
import { type ImageOptions, plainQuality, stepsFor } from './image-options.ts'

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
    picture,
    maxPixels,
  }: {
    readonly model: ImageModelDescriptor
    readonly assets: NamedAssets
    readonly picture: { readonly width: number; readonly height: number } | null
    readonly maxPixels: number
  },
): OpenAiImages {
  const { size = 'auto', n = 1, quality = 'auto', output_format = 'png', output_compression, stream = false, partial_images = 0 } = options
  const { prompt, negative_prompt, seed, cfg_scale, sampler, style_preset } = options
  refuseFaults([...findDeliveryFaults(options), ...findQualityFaults(options)], imageFaultCodes)
  const automatic = picture === null ? model.native : nearestSize(model, picture)
  const [width = automatic.width, height = automatic.height] = size === 'auto' ? [] : size.split('x').map(Number)
  refuseFaults(
    findSizeFaults(model, width, height).map((fault) => ({ ...fault, path: ['size'] })),
    imageFaultCodes,
  )
  const steps = options.steps ?? (quality === 'auto' ? undefined : stepsFor(quality, model))
  const chosen = { prompt, negative_prompt, seed, cfg_scale, sampler, style_preset, steps }
  const request = resolveImageRequest(
    { ...withoutAbsent(chosen), prompt, width, height, num_images: n, image_encoding: output_format },
    model,
    { hints: { encoding: null, lonely: false, previews: partial_images > 0 }, assets },
  )
  refusePixels(request, maxPixels, { count: 'n', size: ['size'] })
  const encodingQuality = output_format === 'png' ? defaultEncodingQuality : Math.max(1, output_compression ?? defaultEncodingQuality)
  return {
    request: encodingQuality === defaultEncodingQuality ? request : { ...request, encodingQuality },
    delivery: { stream, partialImages: partial_images, links: options.response_format === 'url', quality: plainQuality(quality) },
  }
}

function findDeliveryFaults({
  stream,
  partial_images,
  response_format,
  output_format = 'png',
  output_compression,
}: ImageOptions): readonly FieldFault[] {
  const faults: FieldFault[] = []
  if (stream !== true && (partial_images ?? 0) > 0)
    faults.push(fieldFault('partial_images', 'needs `stream: true`: set it, or leave this out.'))
  if (stream === true && response_format === 'url') faults.push(fieldFault('response_format', 'must be b64_json with `stream: true`.'))
  if (output_format === 'png' && output_compression !== undefined && output_compression < 100)
    faults.push(fieldFault('output_compression', 'must be 100 or left out with an `output_format` of png: use jpeg or webp.'))
  return faults
}

function findQualityFaults({ quality = 'auto', steps }: ImageOptions): readonly FieldFault[] {
  return quality !== 'auto' && steps !== undefined
    ? [fieldFault('quality', 'must be auto or left out with `steps`, which has the same effect.')]
    : []
}

/** A record without its undefined fields. */
function withoutAbsent<Value extends object>(record: Value): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Value]?: Exclude<Value[Key], undefined>
  }
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
