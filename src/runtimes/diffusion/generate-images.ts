import { ServiceError } from '../../core/error.ts'
import type { GeneratedImage, ImageRequest, ImageResult } from '../../core/image-generation.ts'
import { type StyledPrompts, stylePrompts } from '../../core/images/styled-prompts.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import { drawImage, type Refining } from './draw-image.ts'
import { drawnSize } from './drawn-size.ts'
import { encodeImage } from './pictures/encode-image.ts'
import { describeParameters } from './pictures/parameters-text.ts'
import { readStartingPicture } from './pictures/read-starting-picture.ts'
import { toRgb } from './pictures/rgb-image.ts'
import { encodePrompts } from './prompts/encode-prompts.ts'
import { promptsToEncode } from './prompts/request-prompts.ts'
import { readAssets } from './read-assets.ts'
import type { NoisePredictor } from './unet/noise-predictor.ts'
import { noAssets } from './used-assets.ts'
import type { PreviewPainter } from './vae/preview-painter.ts'

export interface ImageGeneration {
  readonly pipeline: DiffusionPipeline
  readonly descriptor: ImageModelDescriptor
  readonly previews: PreviewPainter
}

/** Draws every image of a request, one after the other; they share the encoding of texts and pictures. */
export async function generateImages(
  { pipeline: plain, descriptor, previews }: ImageGeneration,
  request: ImageRequest,
  { signal, onProgress, assets = [] }: Parameters<ImageModel['generate']>[1],
): Promise<ImageResult> {
  const started = performance.now()
  refuseUnsupported(plain, request)
  const size = drawnSize(plain, descriptor, request)
  const used = plain.adapt === null ? noAssets : await readAssets(request, assets, { size, signal })
  const pipeline = { ...plain, ...(await plain.adapt?.(used, { signal })) }
  const styled = stylePrompts(request)
  const settings = {
    sampler: request.sampler,
    scheduler: { ...pipeline.scheduler, timestepSpacing: descriptor.timestepSpacing ?? pipeline.scheduler.timestepSpacing },
    steps: request.steps,
    ...size,
    guidanceScale: request.guidanceScale,
    guidanceRescale: request.guidanceRescale,
    prompts: await encodePrompts(pipeline.base.text, promptsToEncode(styled, encodingOptions(request, pipeline.base)), { signal }),
    refining: await refiningOf(pipeline, request, { styled, signal }),
  }
  const { start, frame, finish } = await readStartingPicture(request, size, { signal })
  const images: GeneratedImage[] = []
  for (const [i, seed] of request.seeds.entries()) {
    const onStep = async ({ done, total, estimate }: { done: number; total: number; estimate: () => Float32Array }): Promise<void> => {
      const progress = { step: i * total + done, total: request.seeds.length * total }
      if (!request.previews) return onProgress(progress)
      const { vae } = pipeline
      const latentSize = { channels: vae.channels, width: size.width / vae.factor, height: size.height / vae.factor }
      onProgress({ ...progress, preview: await previews.paint(estimate(), latentSize, frame) })
    }
    const planes = await drawImage(pipeline, { ...settings, seed, start }, { signal, onStep })
    const picture = await finish(toRgb(planes))
    const { unsafe, score } = await pipeline.safety.check(picture)
    const parameters = describeParameters(request, styled, { seed, model: descriptor.id })
    const { encoding, width, height } = request
    const bytes = unsafe ? new Uint8Array(0) : await encodeImage(picture, { encoding, parameters })
    images.push({ bytes, encoding, width, height, seed, removedForSafety: unsafe, safetyScore: score })
  }
  return { images, computeMs: performance.now() - started }
}

function refuseUnsupported({ base, refiner, encoder, adapt }: DiffusionPipeline, request: ImageRequest): void {
  const refuse = (param: string, message: string): never => {
    throw new ServiceError('unsupported', message, { param })
  }
  if (request.clipSkip > base.maxClipSkip) refuse('clip_skip', `This model takes a clip_skip of at most ${base.maxClipSkip}.`)
  if (request.loras.length > 0 && adapt === null)
    refuse('loras', 'This model cannot apply LoRAs: leave out `loras` and the <lora:…> tags of the prompt.')
  if (request.refinerStart !== null && refiner === null) refuse('use_refiner', 'This model has no refiner: leave out use_refiner.')
  if (request.initial !== null && encoder === null) refuse('init_image', 'This model cannot start from an image: leave out init_image.')
}

function encodingOptions({ guidanceScale, clipSkip }: ImageRequest, { embedsGuidance, zeroNegative }: NoisePredictor) {
  return { guided: guidanceScale > 1 && !embedsGuidance, zeroNegative, clipSkip }
}

async function refiningOf(
  { refiner }: DiffusionPipeline,
  request: ImageRequest,
  { styled, signal }: { readonly styled: StyledPrompts; readonly signal: AbortSignal },
): Promise<Refining | null> {
  if (refiner === null || request.refinerStart === null) return null
  const options = { ...encodingOptions(request, refiner), clipSkip: 0 }
  const prompts = await encodePrompts(refiner.text, promptsToEncode(styled, options), { signal })
  return { predictor: refiner, prompts, start: request.refinerStart }
}
