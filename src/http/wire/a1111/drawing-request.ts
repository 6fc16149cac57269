import { checkpointFamilies } from '../../../core/checkpoint/checkpoint-family.ts'
import { defined } from '../../../core/defined.ts'
import type { FieldFault } from '../../../core/error.ts'
import { listedModels, type ModelAliases, resolveModelName } from '../../../core/find-descriptor.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { findStylePreset } from '../../../core/images/style-preset.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { createBodyChecker } from '../../faults/body-checker.ts'
import { faultsError, fieldFault, imageFaultCodes, refuseFaults } from '../../faults/refuse-faults.ts'
import type { ImageBody } from '../images/image-fields.ts'
import { chooseImageModel, type ImageParsing, parseImageRequest } from '../images/image-request.ts'
import { findSizeFaults } from '../images/image-size.ts'
import { findScriptFaults, nameOf, readUnits } from './controlnet-units.ts'
import { drawingDefaults, type Img2imgBody, img2imgSchema, type SharedBody, type Txt2imgBody, txt2imgSchema } from './drawing-fields.ts'
import { drawingWords, inA1111Words } from './foreign-words.ts'
import { drawingOnly, findOnlyFaults, highResolutionOnly, startingOnly } from './only-values.ts'
import { readSampler } from './sampler-names.ts'

/** A request of A1111's drawing routes. */
export interface A1111Drawing {
  readonly request: ImageRequest
  readonly body: Txt2imgBody | Img2imgBody
}

interface Reading {
  readonly body: unknown
  readonly maxPixels: number
  readonly aliases?: ModelAliases | undefined
  /** The account's default checkpoint for requests that name none; null = none. */
  readonly chosen: string | null
  /** Whether its client looks at previews. */
  readonly watched: boolean
}

const txt2img = createBodyChecker(txt2imgSchema)
const img2img = createBodyChecker(img2imgSchema)

/**
 * Reads the body of POST /sdapi/v1/txt2img.
 *
 * @throws {ServiceError} the errors of /generate/image, with A1111's field names.
 */
export async function parseTxt2img(deps: ImageParsing, reading: Reading, options: Abortable): Promise<A1111Drawing> {
  const body = txt2img.parse(reading.body, imageFaultCodes)
  const { enable_hr: twice = false, hr_scale, hr_upscaler, hr_second_pass_steps, denoising_strength } = body
  const second = twice ? defined({ enable_hr: true, hr_scale, hr_upscaler, hr_second_pass_steps, denoising_strength }) : {}
  refuseFaults(
    [
      ...findOnlyFaults(body, twice ? highResolutionOnly : {}),
      ...findScriptFaults(body.alwayson_scripts ?? {}, { startsFromPicture: false }),
    ],
    imageFaultCodes,
  )
  const units = readUnits(body.alwayson_scripts ?? {})
  return { body, request: await parse(deps, reading, { body, own: { ...units, ...second } }, options) }
}

/**
 * Reads the body of POST /sdapi/v1/img2img.
 *
 * @throws {ServiceError} as {@link parseTxt2img}.
 */
export async function parseImg2img(deps: ImageParsing, reading: Reading, options: Abortable): Promise<A1111Drawing> {
  const body = img2img.parse(reading.body, imageFaultCodes)
  const [init_image = ''] = body.init_images
  const { mask = '', resize_mode: resize = 0, inpainting_fill: fill = 0, inpaint_full_res: whole = true } = body
  const faults: FieldFault[] = [
    ...findOnlyFaults(body, startingOnly),
    ...findScriptFaults(body.alwayson_scripts ?? {}, { startsFromPicture: true }),
  ]
  const add = (field: string, text: string) => faults.push(fieldFault(field, text, 'unsupported'))
  if (resize > 1) add('resize_mode', 'must be 0 or 1: send the image in the shape that is drawn.')
  if (mask !== '' && fill > 1) add('inpainting_fill', 'must be 0 (the colours around) or 1 (the image): img2img starts from an image.')
  refuseFaults(faults, imageFaultCodes)
  const masked = {
    mask_image: mask,
    mask_blur: body.mask_blur ?? 4,
    outpainting: fill === 0,
    ...(Boolean(whole) && { inpaint_full_res: true, inpaint_full_res_padding: body.inpaint_full_res_padding ?? 0 }),
  }
  const own = {
    ...readUnits(body.alwayson_scripts ?? {}, init_image),
    init_image,
    strength: body.denoising_strength ?? 0.75,
    ...(mask !== '' && masked),
  }
  const shape = { width: 0, height: 0 }
  const inspectImage: ImageParsing['inspectImage'] = async (bytes, inspecting) => {
    const found = await deps.inspectImage(bytes, inspecting)
    // The first picture of img2img determines the shape.
    if (shape.width === 0) Object.assign(shape, { width: found.width, height: found.height })
    return found
  }
  const request = await parse({ ...deps, inspectImage }, reading, { body, own }, options)
  if (resize === 0) refuseOtherShape(shape, request)
  return { body, request }
}

function refuseOtherShape(picture: { readonly width: number; readonly height: number }, { width, height }: ImageRequest): void {
  if (Math.abs((picture.width * height) / (picture.height * width) - 1) < 0.02) return
  const words = `must be 1 (crop) for an image of ${picture.width} × ${picture.height} that is drawn at ${width} × ${height}; or send \`width\` and \`height\` with the same proportions.`
  refuseFaults([fieldFault('resize_mode', words)], imageFaultCodes)
}

async function parse(
  deps: ImageParsing,
  { maxPixels, aliases, chosen, watched }: Reading,
  { body, own }: { readonly body: SharedBody; readonly own: Partial<ImageBody> },
  options: Abortable,
): Promise<ImageRequest> {
  const filled = { ...drawingDefaults, ...body }
  const { prompt, negative_prompt: negative, seed } = filled
  const { sd_model_checkpoint: title, sd_vae: vae = '', samples_format: format = 'png', ...settings } = body.override_settings ?? {}
  return inA1111Words(drawingWords, async () => {
    refuseFaults(findOnlyFaults(body, drawingOnly), imageFaultCodes)
    const name = title === undefined ? chosenModel(deps.catalog, chosen)?.id : resolveModelName(deps.catalog, nameOf(title), aliases)
    const model = chooseImageModel(deps.catalog, { field: 'checkpoint', name, families: checkpointFamilies })
    const [style] = filled.styles
    const ours: ImageBody = defined({
      prompt,
      checkpoint: model.id,
      negative_prompt: negative || undefined,
      ...sizeOf(body, model),
      steps: filled.steps,
      cfg_scale: filled.cfg_scale,
      num_images: filled.batch_size * filled.n_iter,
      seed: seed >= 0 ? seed : undefined,
      sampler: chooseSampler(body),
      image_encoding: format === 'jpg' ? 'jpeg' : format,
      vae: ['', 'None', 'Automatic'].includes(vae) ? undefined : nameOf(vae),
      clip_skip: readClipSkip(body, model) || undefined,
      style_preset: style && (findStylePreset(style)?.name ?? style),
      ...readEmbeddings(deps.catalog, model, `${prompt} ${negative}`),
      ...own,
    })
    const hints = { encoding: null, lonely: false, previews: settings.live_previews_enable ?? watched }
    const { request } = await parseImageRequest(deps, { body: ours, hints, families: checkpointFamilies, maxPixels }, options)
    return request
  })
}

/** A1111's default size of 512 × 512, or the model's own size if it does not support that. */
function sizeOf({ width, height }: SharedBody, model: ImageModelDescriptor): { readonly width: number; readonly height: number } {
  const { width: standard } = drawingDefaults
  if (width === undefined && height === undefined && findSizeFaults(model, standard, standard).length > 0) return model.native
  return { width: width ?? standard, height: height ?? standard }
}

function chooseSampler({
  sampler_name: name,
  sampler_index: older,
  scheduler = 'automatic',
}: SharedBody): NonNullable<ImageBody['sampler']> {
  const found = readSampler(name || older || drawingDefaults.sampler_index, scheduler)
  if (typeof found === 'string') return found
  throw faultsError([fieldFault(found.field, found.text, 'unsupported')], imageFaultCodes)
}

/** A1111 counts from 1 = the last layer, and ignores the setting for models with other text encoders. */
function readClipSkip({ override_settings: settings, clip_skip: beside }: SharedBody, model: ImageModelDescriptor): number {
  const family = familyOf(model)
  if (family !== 'sd15' && family !== 'sd2') return 0
  return Math.max(0, (settings?.CLIP_stop_at_last_layers ?? beside ?? 1) - 1)
}

/** Finds embeddings by their names in the prompt: A1111 has no field for them. */
function readEmbeddings(catalog: ModelCatalog, model: ImageModelDescriptor, text: string): Pick<ImageBody, 'textual_inversions'> {
  if (model.checkpoint === undefined) return {}
  const words = new Set(text.split(/[\s,()[\]:<>|]+/))
  const named = catalog.listAssets().flatMap(({ kind, name, family }) => {
    const fits = kind === 'textual-inversion' && (family === null || family === familyOf(model))
    return fits && words.has(name) ? [[name, name] as const] : []
  })
  return named.length === 0 ? {} : { textual_inversions: Object.fromEntries(named) }
}

/** The account's default model, if it is still installed. */
export function chosenModel(catalog: ModelCatalog, chosen: string | null): ImageModelDescriptor | undefined {
  const model = chosen === null ? undefined : catalog.find(chosen)
  return model?.kind === 'image' && model.upscaler === undefined ? model : undefined
}

/** The image models of these routes. */
export function drawingModels(catalog: ModelCatalog): readonly ImageModelDescriptor[] {
  return listedModels(catalog).flatMap((model) => (model.kind === 'image' && model.upscaler === undefined ? [model] : []))
}
