import { type CheckpointFamily, checkpointFamilies, familyNames } from '../../../core/checkpoint/checkpoint-family.ts'
import { type FieldFault, ServiceError } from '../../../core/error.ts'
import { listedModels } from '../../../core/find-descriptor.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import type { InspectImage } from '../../../core/images/inspect-image.ts'
import { referencePixels } from '../../../core/images/references.ts'
import { findStylePreset } from '../../../core/images/style-preset.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import { didYouMean } from '../../../core/text/nearest-name.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { faultsError, fieldFault, imageFaultCodes, refuseFaults } from '../../faults/refuse-faults.ts'
import { decodeImage } from './decode-image.ts'
import { findFamilyFaults, withOtherFaults } from './family-faults.ts'
import { findHighResolutionFaults, readHighResolution } from './high-resolution.ts'
import { decodeAssets, findAssetFaults, isOwnVae, keptName, type NamedAssets, paceByLoras, resolveAssets } from './image-assets.ts'
import { findImageFaults, type ImageHints } from './image-faults.ts'
import { freeImageRequestSchema, type ImageBody, imageDefaults, imageRequestSchema, unsupportedImageFields } from './image-fields.ts'
import { refusePixels } from './image-pixels.ts'
import { readSeeds } from './image-seeds.ts'
import { requestedSize } from './image-size.ts'
import { strengthFor } from './image-strength.ts'
import { findUnsupported } from './unsupported-fields.ts'

export interface ImageParsing {
  readonly catalog: ModelCatalog
  readonly inspectImage: InspectImage
}

const checker = createBodyChecker(imageRequestSchema)
const freeChecker = createBodyChecker(freeImageRequestSchema)

/**
 * Reads the body of POST /generate/sdxl: every default filled in from the model, seeds drawn, images checked. Where every family draws, the prompt may be empty.
 *
 * @throws {ServiceError} `validation_error`, `unsupported`, `model_not_found`.
 */
export async function parseImageRequest(
  deps: ImageParsing,
  {
    body: received,
    hints,
    families,
    maxPixels = Number.POSITIVE_INFINITY,
  }: {
    readonly body: unknown
    readonly hints: ImageHints
    readonly families: readonly CheckpointFamily[]
    readonly maxPixels?: number
  },
  options: Abortable,
): Promise<{ readonly request: ImageRequest; readonly logPrompt: boolean }> {
  const { vae, ...parsed } = (families === checkpointFamilies ? freeChecker : checker).parse(received, imageFaultCodes)
  refuseFaults(findUnsupported(parsed, unsupportedImageFields), imageFaultCodes)
  const chosen = chooseImageModel(deps.catalog, { ...namedModel(parsed), families })
  const body = { ...parsed, ...(vae !== undefined && !isOwnVae(vae, chosen) && { vae }) }
  const assets = resolveAssets(body, deps.catalog)
  const { model, spacing } = paceByLoras(chosen, assets)
  const faults = [
    ...findAssetFaults(body, assets, { model, catalog: deps.catalog }),
    ...findHighResolutionFaults(body, model, deps.catalog),
  ]
  const request = resolveImageRequest(body, model, { hints, assets, faults })
  const sized = request.highResolution === undefined ? [] : ['hr_scale']
  refusePixels(request, maxPixels, { count: 'num_images', size: ['width', 'height', ...sized] })
  return {
    request: {
      ...request,
      ...spacing,
      ...(await decodeImages(deps.inspectImage, body, { ...options, shape: request })),
      ...(await decodeAssets(deps.inspectImage, assets, options)),
    },
    logPrompt: body.log_prompt ?? imageDefaults.log_prompt,
  }
}

/** The model that a body names by the original service's `checkpoint` or by Sepia's `model`, which mean the same. */
function namedModel({ model, checkpoint }: ImageBody): { readonly field: 'checkpoint' | 'model'; readonly name: string | undefined } {
  if (model === undefined) return { field: 'checkpoint', name: checkpoint }
  if (checkpoint === undefined || checkpoint === model) return { field: 'model', name: model }
  throw faultsError([fieldFault('checkpoint', 'must be left out or name the same model as `model`.')], imageFaultCodes)
}

/**
 * The requested image model, or the default one.
 *
 * @throws {ServiceError} `model_not_found`; `unsupported` for a checkpoint that is not installed or of another family.
 */
export function chooseImageModel(
  catalog: ModelCatalog,
  {
    field,
    name,
    families = checkpointFamilies,
  }: { readonly field: 'checkpoint' | 'model'; readonly name: string | undefined; readonly families?: readonly CheckpointFamily[] },
): ImageModelDescriptor {
  const fits = (model: ImageModelDescriptor) => model.upscaler === undefined && families.includes(familyOf(model))
  const wanted = families.map((family) => familyNames[family]).join(' or ')
  if (name === undefined) {
    const model = catalog.defaultImageModel(fits)
    if (model !== undefined) return model
    throw new ServiceError('model_not_found', `No model of ${wanted} is installed; add one to the models folder.`)
  }
  const model = catalog.find(name)
  if (model?.kind === 'image' && fits(model)) return model
  const names = listedModels(catalog).flatMap((each) => (each.kind === 'image' && fits(each) ? [each.id] : []))
  const unusable = catalog.findUnusable(name)
  const message =
    model?.kind === 'image' && model.upscaler === undefined
      ? `\`${field}\` must be a model of ${wanted}; ${name} is one of ${familyNames[familyOf(model)]}.`
      : unusable === undefined
        ? `\`${field}\` must be an installed image model: ${names.join(', ')}.${didYouMean(name, names)}`
        : `\`${field}\` must name another model: ${shortName(name)} ${unusable.reason}.`
  if (field === 'model' && model?.kind !== 'image' && unusable === undefined)
    throw new ServiceError('model_not_found', message, { param: field })
  throw new ServiceError('unsupported', message, { param: field, faults: [{ path: [field], message, kind: 'unsupported' }] })
}

/**
 * Fills in every default of a well-formed body, without images.
 *
 * @param options.faults Faults found before, which are reported together with those found here.
 * @throws {ServiceError} `validation_error` and `unsupported` for fields that contradict each other or the model.
 */
export function resolveImageRequest(
  body: ImageBody,
  model: ImageModelDescriptor,
  { hints, assets, faults = [] }: { readonly hints: ImageHints; readonly assets: NamedAssets; readonly faults?: readonly FieldFault[] },
): ImageRequest {
  const { prompts } = assets
  const others = [...faults, ...findImageFaults(body, model, { hints, prompts })]
  refuseFaults(withOtherFaults(findFamilyFaults(body, model), others), imageFaultCodes)
  const { prompt, prompt2 } = prompts
  const refines = body.use_refiner ?? model.refiner !== null
  const { negative_prompt: negative, negative_prompt_2: negative2, skip_guidance_layers: layers, ...filled } = { ...imageDefaults, ...body }
  const base = { ...requestedSize(body, model), steps: body.steps ?? model.defaults.steps }
  return {
    model: model.id,
    prompt,
    prompt2,
    // An absent or empty second prompt is the first one, as in diffusers.
    negative: (negative ?? negative2) === undefined ? null : { prompt: negative ?? '', prompt2: negative2 || (negative ?? '') },
    ...base,
    ...readHighResolution(body, base),
    guidanceScale: body.cfg_scale ?? model.defaults.guidanceScale,
    guidanceRescale: filled.guidance_rescale,
    seeds: readSeeds(body.seed, filled.num_images),
    sampler: body.sampler ?? model.defaults.sampler,
    encoding: body.image_encoding ?? hints.encoding ?? imageDefaults.image_encoding,
    clipSkip: body.clip_skip ?? 0,
    stylePreset: body.style_preset === undefined ? null : (findStylePreset(body.style_preset)?.name ?? null),
    loras: assets.loras.map((each) => ({ ...each.use, name: keptName(each) })),
    initial: null,
    mask: null,
    ...(layers !== undefined && {
      skipLayers: {
        layers,
        scale: filled.skip_layer_guidance_scale,
        start: filled.skip_layer_guidance_start,
        stop: filled.skip_layer_guidance_stop,
      },
    }),
    refinerStart: refines ? filled.high_noise_frac : null,
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
): Promise<Pick<ImageRequest, 'initial' | 'mask' | 'references' | 'referencePixels'>> {
  const { init_image, mask_image, reference_images, ...filled } = { ...imageDefaults, ...body }
  const decode = (field: string, text: string, options = {}) => decodeImage(inspect, { field, text }, { signal, ...options })
  const initial = init_image === undefined ? null : await decode('init_image', init_image)
  const mask = mask_image === undefined ? null : await decode('mask_image', mask_image, { whiteAt: { width, height } })
  const seen = await Array.fromAsync(reference_images ?? [], (text) => decode('reference_images', text))
  return {
    ...(seen.length > 0 && {
      references: seen.map(({ bytes }) => bytes),
      referencePixels: referencePixels(seen),
    }),
    initial: initial && { image: initial.bytes, strength: strengthFor(filled.strength, steps) },
    mask: mask && {
      image: mask.bytes,
      fullResolution: filled.inpaint_full_res,
      padding: filled.inpaint_full_res_padding,
      outpainting: filled.outpainting,
      blur: filled.mask_blur,
    },
  }
}
