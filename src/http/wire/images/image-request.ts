import { type FieldFault, ServiceError } from '../../../core/error.ts'
import type { ImageEncoding, ImageRequest } from '../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { createBodyChecker } from '../faults/body-checker.ts'
import { imageFaultCodes, refuseFaults } from '../faults/refuse-faults.ts'
import { decodeImage, type InspectImage } from './decode-image.ts'
import { findBoundFaults } from './image-bounds.ts'
import { type ImageBody, imageRequestSchema, unsupportedImageFields } from './image-fields.ts'
import { findSeedFaults, readSeeds } from './image-seeds.ts'
import { findSizeFaults } from './image-size.ts'
import { plainLeastStrength, strengthFor } from './image-strength.ts'
import { findPromptWeightFaults } from './prompt-weight-faults.ts'
import { findUnsupported } from './unsupported-fields.ts'

const defaultStrength = 0.8
const defaultPadding = 32
const defaultHighNoise = 0.8

export interface ImageParsing {
  readonly catalog: ModelCatalog
  readonly inspectImage: InspectImage
}

/** What the headers of an image request say about it. */
export interface ImageHints {
  /** The encoding that the Accept header asks for; null = the body's choice. */
  readonly encoding: ImageEncoding | null
  readonly previews: boolean
}

const checker = createBodyChecker(imageRequestSchema)

/**
 * Reads the body of POST /generate/sdxl: every default filled in from the model, seeds drawn, images checked.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export async function parseImageRequest(
  deps: ImageParsing,
  { body: received, hints }: { readonly body: unknown; readonly hints: ImageHints },
  options: { readonly signal: AbortSignal },
): Promise<{ readonly request: ImageRequest; readonly logPrompt: boolean }> {
  const body = checker.parse(received, imageFaultCodes)
  refuseFaults(findUnsupported(body, unsupportedImageFields), imageFaultCodes)
  const model = chooseImageModel(deps.catalog, { field: 'checkpoint', name: body.checkpoint })
  const request = resolveImageRequest(body, model, hints)
  return {
    request: { ...request, ...(await decodeImages(deps.inspectImage, body, { ...options, shape: request })) },
    logPrompt: body.log_prompt ?? false,
  }
}

/**
 * The image model a request names, or the default one.
 *
 * @throws {ServiceError} `model_not_found`; `unsupported` for a checkpoint that is not installed.
 */
export function chooseImageModel(
  catalog: ModelCatalog,
  { field, name }: { readonly field: 'checkpoint' | 'model'; readonly name: string | undefined },
): ImageModelDescriptor {
  const model = name === undefined ? catalog.defaultImageModel() : catalog.find(name)
  if (model?.kind === 'image') return model
  if (name === undefined) throw new ServiceError('model_not_found', 'No image model is installed; add one to the models folder.')
  const known = catalog.list().filter(({ kind }) => kind === 'image')
  const message = `\`${field}\` must be an installed image model: ${known.map(({ id }) => id).join(', ')}.`
  if (field === 'model') throw new ServiceError('model_not_found', message, { param: field })
  throw new ServiceError('unsupported', message, { param: field, faults: [{ path: [field], message, kind: 'unsupported' }] })
}

/**
 * Fills in every default of a well-formed body; images are left out.
 *
 * @throws {ServiceError} `validation_error` and `unsupported` for fields that contradict each other or the model.
 */
export function resolveImageRequest(body: ImageBody, model: ImageModelDescriptor, hints: ImageHints): ImageRequest {
  refuseFaults(findImageFaults(body, model, hints), imageFaultCodes)
  return { ...resolveImage(body, model, hints), initial: null, mask: null }
}

function findImageFaults(body: ImageBody, model: ImageModelDescriptor, hints: ImageHints): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, text: string, kind = 'conflict') => faults.push({ path: [field], message: `\`${field}\` ${text}`, kind })
  const steps = body.steps ?? model.defaults.steps
  const strength = body.strength ?? defaultStrength
  faults.push(...findSizeFaults(model, body.width ?? model.native.width, body.height ?? model.native.height))
  faults.push(...findSeedFaults(body.seed, body.num_images ?? 1), ...findBoundFaults(model, body), ...findPromptWeightFaults(body))
  if (body.init_image === undefined && strength !== defaultStrength) add('strength', 'needs `init_image`: add one, or leave it out.')
  if ((body.init_image ?? body.strength) !== undefined && strengthFor(strength, steps) * steps < 1)
    add(
      'strength',
      `times \`steps\` must be at least 1: use a strength of ${plainLeastStrength(steps)} or more with ${steps} steps.`,
      'range',
    )
  if (body.init_image === undefined && body.mask_image !== undefined) add('mask_image', 'needs `init_image`: add the image to repaint.')
  if (body.mask_image === undefined) {
    if (body.inpaint_full_res === true) add('inpaint_full_res', 'needs `mask_image`: add one, or leave it out.')
    if (body.outpainting === true) add('outpainting', 'needs `mask_image`: add one, or leave it out.')
  }
  if (body.inpaint_full_res !== true && (body.inpaint_full_res_padding ?? defaultPadding) !== defaultPadding)
    add('inpaint_full_res_padding', 'needs `inpaint_full_res: true`: set it, or leave this out.')
  if (model.refiner === null) {
    if (body.use_refiner === true) add('use_refiner', `must be false: ${model.id} has no refiner.`, 'unsupported')
    if ((body.high_noise_frac ?? defaultHighNoise) !== defaultHighNoise)
      add('high_noise_frac', `must be left out: ${model.id} has no refiner.`, 'unsupported')
  } else if (body.use_refiner === false && (body.high_noise_frac ?? defaultHighNoise) !== defaultHighNoise)
    add('high_noise_frac', 'needs the refiner: leave it or `use_refiner` out.')
  if (hints.encoding !== null && body.image_encoding !== undefined && body.image_encoding !== hints.encoding)
    add('image_encoding', `must be ${hints.encoding} or left out when Accept is image/${hints.encoding}.`)
  return faults
}

function resolveImage(body: ImageBody, model: ImageModelDescriptor, hints: ImageHints): Omit<ImageRequest, 'initial' | 'mask'> {
  const refines = body.use_refiner ?? model.refiner !== null
  return {
    model: model.id,
    prompt: body.prompt,
    prompt2: body.prompt_2 ?? null,
    negativePrompt: body.negative_prompt ?? null,
    negativePrompt2: body.negative_prompt_2 ?? null,
    width: body.width ?? model.native.width,
    height: body.height ?? model.native.height,
    steps: body.steps ?? model.defaults.steps,
    guidanceScale: body.cfg_scale ?? model.defaults.guidanceScale,
    seeds: readSeeds(body.seed, body.num_images ?? 1),
    sampler: body.sampler ?? model.defaults.sampler,
    encoding: body.image_encoding ?? hints.encoding ?? 'jpeg',
    clipSkip: body.clip_skip ?? null,
    stylePreset: body.style_preset ?? null,
    refinerStart: refines ? (body.high_noise_frac ?? defaultHighNoise) : null,
    previews: hints.previews,
  }
}

async function decodeImages(
  inspect: InspectImage,
  body: ImageBody,
  {
    signal,
    shape: { width, height, steps },
  }: { readonly signal: AbortSignal; readonly shape: Pick<ImageRequest, 'width' | 'height' | 'steps'> },
): Promise<Pick<ImageRequest, 'initial' | 'mask'>> {
  const { init_image, mask_image } = body
  const initial = init_image === undefined ? null : await decodeImage(inspect, { field: 'init_image', text: init_image }, { signal })
  // What is repainted at full size is the white's surroundings: without white there is nothing to draw.
  const maskOptions = body.inpaint_full_res === true ? { signal, whiteAt: { width, height } } : { signal }
  const mask = mask_image === undefined ? null : await decodeImage(inspect, { field: 'mask_image', text: mask_image }, maskOptions)
  return {
    initial: initial && { image: initial, strength: strengthFor(body.strength ?? defaultStrength, steps) },
    mask: mask && {
      image: mask,
      fullResolution: body.inpaint_full_res ?? false,
      padding: body.inpaint_full_res_padding ?? defaultPadding,
      outpainting: body.outpainting ?? false,
    },
  }
}
