import type { AssetDescriptor } from '../../core/assets/asset.ts'
import { ServiceError } from '../../core/error.ts'
import type { GeneratedImage, ImageProgress, ImageRequest, ImageResult } from '../../core/image-generation.ts'
import { type GuidanceScales, guidanceScales } from '../../core/images/guidance-scales.ts'
import { type StyledPrompts, stylePrompts } from '../../core/images/style-preset.ts'
import type { ImageModelDescriptor, UpscalerFacts } from '../../core/model.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { besides } from '../../core/waiting.ts'
import type { DenoisingProgress } from './denoise.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import { drawImage, type ImageSettings, type Refining } from './draw-image.ts'
import { drawTwice, type SecondPass } from './draw-twice.ts'
import { encodeImage } from './pictures/encode-image.ts'
import { frameOf } from './pictures/frame.ts'
import { describeParameters } from './pictures/picture-text.ts'
import { encodeReferences, readReferences } from './pictures/read-references.ts'
import { readStartingPicture } from './pictures/read-starting-picture.ts'
import { type PixelSize, toRgb } from './pictures/rgb-image.ts'
import { sizeOf } from './prepare-drawing.ts'
import { promptsToEncode } from './prompts/request-prompts.ts'
import { drawnSize } from './start-from-picture.ts'
import { LockStep } from './unet/lock-step.ts'
import type { NoisePredictor } from './unet/noise-predictor.ts'
import type { Upscaler } from './upscaling/upscaler.ts'
import { readAssets } from './used-assets.ts'
import type { PreviewPainter } from './vae/preview-painter.ts'
import type { PixelPlanes } from './vae/vae-decoder.ts'

export interface ImageGeneration {
  readonly pipeline: DiffusionPipeline
  readonly descriptor: ImageModelDescriptor
  readonly previews: PreviewPainter
  /** Opens an upscaler's file, or finds it open. */
  readonly openUpscaler: (path: string) => Promise<Pick<Upscaler, 'enlarge'>>
}

/** Draws every image of a request, several at once on a GPU; they share the encoding of texts and pictures. */
export async function generateImages(
  generation: ImageGeneration,
  request: ImageRequest,
  { signal, onProgress, assets = [], upscaler = null }: Parameters<ImageModel['generate']>[1],
): Promise<ImageResult> {
  const started = performance.now()
  const { descriptor, previews } = generation
  let isUpcast = false
  const plain = reportingUpcasts(generation.pipeline, () => {
    isUpcast = true
  })
  refuseUnsupported(plain, request)
  const finalSize = drawnSize(plain, descriptor, request)
  const size = request.highResolution === undefined ? finalSize : drawnSize(plain, descriptor, request.highResolution.first)
  const pipeline = await withAssets(plain, request, { assets, size, signal })
  const styled = stylePrompts(request)
  const { guided: _, ...scales } = scalesOf(request, pipeline.base)
  const settings = {
    sampler: request.sampler,
    scheduler: {
      ...pipeline.scheduler,
      timestepSpacing: request.timestepSpacing ?? descriptor.timestepSpacing ?? pipeline.scheduler.timestepSpacing,
    },
    steps: request.steps,
    ...size,
    ...scales,
    guidanceRescale: request.guidanceRescale,
    skipLayers: request.skipLayers,
    prompts: await pipeline.base.encode(promptsToEncode(styled, encodingOptions(request, pipeline.base)), { signal }),
    refining: await refiningOf(pipeline, request, { styled, signal }),
  }
  const references = await encodeReferences(plain, await readReferences(request, plain, { signal }), { signal })
  const { start, frame, finish } = await readStartingPicture(request, finalSize, { signal })
  const second = await secondPassOf({ ...generation, pipeline: plain }, request, { assets, upscaler, size: finalSize, signal })
  const firstFrame = second === null ? frame : frameOf(request.highResolution?.first ?? size, size)
  const report = progressReporter(request, onProgress)
  const finishImage = async (planes: PixelPlanes, seed: number): Promise<GeneratedImage> => {
    const picture = await finish(toRgb(planes, pipeline.vaeSource))
    const { unsafe, score } = await pipeline.safety.check(picture)
    const parameters = describeParameters(request, styled, { seed, model: descriptor.id })
    const { encoding, encodingQuality: quality, width, height } = request
    const bytes = unsafe ? new Uint8Array(0) : await encodeImage(picture, { encoding, quality, parameters })
    return { bytes, encoding, width, height, seed, removedForSafety: unsafe, safetyScore: score }
  }
  const images: GeneratedImage[] = []
  const perBatch = start === null && second === null && references.length === 0 ? picturesPerBatch(pipeline, settings) : 1
  while (images.length < request.seeds.length) {
    const first = images.length
    const seeds = request.seeds.slice(first, first + perBatch)
    const lockStep = seeds.length === 1 ? null : new LockStep(pipeline.base.unet, seeds.length)
    const drawn = await besides(signal, seeds.entries(), async ([i, seed], signal) => {
      const onStep = async ({ done, total, size: at, estimate }: DenoisingProgress): Promise<void> => {
        const shownIn = at.width * pipeline.vae.factor === size.width ? firstFrame : frame
        const shown = request.previews && i === seeds.length - 1 ? await previews.paint(estimate(), at, shownIn) : undefined
        report({ image: first + i, done, total }, shown)
      }
      try {
        const drawing = { ...settings, seed, start, references, ...(lockStep && { unet: lockStep }) }
        const planes =
          second === null
            ? await drawImage(pipeline, drawing, { signal, onStep })
            : await drawTwice(pipeline, drawing, { signal, onStep, second })
        return await finishImage(planes, seed)
      } finally {
        lockStep?.leave()
      }
    })
    images.push(...drawn)
  }
  const { cutAt } = settings.prompts
  const warnings = [
    ...(isUpcast ? [upcastVaeWarning] : []),
    ...(cutAt === undefined
      ? []
      : [`The prompt or negative prompt has more than the ${cutAt} tokens that this model reads; the rest was left out.`]),
    ...(descriptor.checkpoint?.guessed === true ? [guessedPrediction] : []),
  ]
  return { images, computeMs: performance.now() - started, ...(warnings.length > 0 && { warnings }) }
}

const guessedPrediction = 'Sepia used v-prediction because of the model\'s name; set "prediction" in its model.json to be sure.'

const upcastVaeWarning = "The model's VAE left the range of half precision, so it ran in single precision."

/** The pipeline for one request: its VAE reports when this request leaves the range of half precision. */
function reportingUpcasts(pipeline: DiffusionPipeline, report: () => void): DiffusionPipeline {
  const { decoder, encoder } = pipeline
  return { ...pipeline, decoder: decoder.reportingUpcasts(report), encoder: encoder?.reportingUpcasts(report) ?? null }
}

/** The pipeline with a request's assets in it, its control pictures at the size of a pass. */
async function withAssets(
  plain: DiffusionPipeline,
  request: ImageRequest,
  { assets, size, signal }: { readonly assets: readonly AssetDescriptor[]; readonly size: PixelSize; readonly signal: AbortSignal },
): Promise<DiffusionPipeline> {
  if (plain.adapt === null) return plain
  const adapted = await plain.adapt(await readAssets(request, assets, { size, signal }), { signal })
  return { ...plain, ...adapted, ...(request.vae && { vaeSource: { what: `The VAE ${request.vae}`, param: 'vae' } }) }
}

async function secondPassOf(
  { pipeline, openUpscaler }: ImageGeneration,
  request: ImageRequest,
  {
    upscaler,
    ...pass
  }: {
    readonly assets: readonly AssetDescriptor[]
    readonly upscaler: UpscalerFacts | null
    readonly size: PixelSize
    readonly signal: AbortSignal
  },
): Promise<SecondPass | null> {
  const { highResolution } = request
  if (highResolution === undefined) return null
  if (highResolution.upscaler !== null && upscaler === null) {
    const message = `The upscaler ${highResolution.upscaler} is no longer installed; use an installed one, or "Latent".`
    throw new ServiceError('unsupported', message, { param: 'hr_upscaler' })
  }
  const { steps, strength } = highResolution
  return {
    ...pass.size,
    steps,
    strength,
    pipeline: await withAssets(pipeline, request, pass),
    upscaler: upscaler === null ? null : await openUpscaler(upscaler.weights),
  }
}

/** Number of images from noise alone that one batch draws. */
function picturesPerBatch(
  pipeline: DiffusionPipeline,
  { refining, ...size }: Pick<ImageSettings, 'width' | 'height' | 'refining'>,
): number {
  if (refining !== null || pipeline.base.additions !== null) return 1
  return Math.max(pipeline.base.unet.picturesPerBatch(sizeOf(pipeline, size)), 1)
}

/** Adds up the steps of all images. */
function progressReporter({ seeds }: ImageRequest, onProgress: (progress: ImageProgress) => void) {
  const doneBy = new Map<number, number>()
  return ({ image, done, total }: { image: number; done: number; total: number }, preview: Uint8Array | undefined): void => {
    doneBy.set(image, done)
    const step = [...doneBy.values()].reduce((sum, steps) => sum + steps, 0)
    onProgress({ step, total: seeds.length * total, ...(preview !== undefined && { preview }) })
  }
}

function refuseUnsupported({ base, refiner, encoder, adapt }: DiffusionPipeline, request: ImageRequest): void {
  const refuse = (param: string, message: string): never => {
    throw new ServiceError('unsupported', message, { param })
  }
  if (request.clipSkip > base.maxClipSkip) refuse('clip_skip', `This model takes a clip_skip of at most ${base.maxClipSkip}.`)
  if (request.loras.length > 0 && adapt === null)
    refuse('loras', 'This model cannot apply LoRAs: leave out `loras` and the <lora:…> tags of the prompt.')
  if (request.refinerStart !== null && refiner === null) refuse('use_refiner', 'This model has no refiner: leave out use_refiner.')
  if (request.highResolution?.upscaler != null && encoder === null)
    refuse('hr_upscaler', 'This model cannot start from an image: leave out hr_upscaler.')
  if (request.references !== undefined && !(base.takesReferences && encoder !== null))
    refuse('reference_images', 'This model takes no reference images: leave out reference_images.')
  if (request.initial !== null && encoder === null) refuse('init_image', 'This model cannot start from an image: leave out init_image.')
}

function scalesOf({ guidanceScale: scale, negative }: ImageRequest, { guidance }: NoisePredictor): GuidanceScales {
  return guidanceScales(guidance, { scale, hasNegative: negative !== null })
}

function encodingOptions(request: ImageRequest, predictor: NoisePredictor) {
  const { zeroNegative, readsWeights } = predictor
  return { guided: scalesOf(request, predictor).guided, zeroNegative, readsWeights, clipSkip: request.clipSkip }
}

async function refiningOf(
  { refiner }: DiffusionPipeline,
  request: ImageRequest,
  { styled, signal }: { readonly styled: StyledPrompts; readonly signal: AbortSignal },
): Promise<Refining | null> {
  if (refiner === null || request.refinerStart === null) return null
  const options = { ...encodingOptions(request, refiner), clipSkip: 0 }
  const prompts = await refiner.encode(promptsToEncode(styled, options), { signal })
  return { predictor: refiner, prompts, start: request.refinerStart }
}
