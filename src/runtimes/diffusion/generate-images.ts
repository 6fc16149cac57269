import type { GeneratedImage, ImageProgress, ImageRequest, ImageResult } from '../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import { decodeMask, decodePicture, toRepaintMask } from './decode-image.ts'
import { decodeLatents } from './decode-latents.ts'
import { denoise } from './denoise.ts'
import type { DiffusionPipeline } from './diffusion-pipeline.ts'
import { encodeImage } from './encode-image.ts'
import { encodePrompts, type PromptPair } from './encode-prompts.ts'
import { prepareDrawing, type StartingPicture } from './prepare-drawing.ts'
import { toPlanes, toRgb } from './rgb-image.ts'

/** Draws every image of a request, one after the other; they share the encoding of the prompts. */
export async function generateImages(
  { pipeline, descriptor }: { readonly pipeline: DiffusionPipeline; readonly descriptor: ImageModelDescriptor },
  request: ImageRequest,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: ImageProgress) => void },
): Promise<ImageResult> {
  const started = performance.now()
  const size = descriptor.draws === 'native' ? descriptor.native : { width: request.width, height: request.height }
  const guided = request.guidanceScale > 1
  const prompts = await encodePrompts(pipeline.text, {
    positive: pair(request.prompt, request.prompt2),
    negative: guided ? negativeOf(pipeline, request) : null,
    clipSkip: request.clipSkip ?? 0,
    truncate: false,
  })
  const start = await startOf(request, size, { signal })
  const images: GeneratedImage[] = []
  for (const [i, seed] of request.seeds.entries()) {
    const drawing = await prepareDrawing(pipeline, {
      sampler: request.sampler,
      scheduler: pipeline.scheduler,
      steps: request.steps,
      seed,
      ...size,
      guidanceScale: request.guidanceScale,
      prompts,
      start,
    })
    const latents = await denoise(pipeline, drawing, {
      signal,
      onStep: ({ done, total }) => onProgress({ step: i * total + done, total: request.seeds.length * total }),
    })
    const picture = toRgb(await decodeLatents(pipeline, latents, drawing.size))
    const bytes = await encodeImage(picture, request)
    const { encoding, width, height } = request
    images.push({ bytes, encoding, width, height, seed, removedForSafety: false, safetyScore: null })
  }
  return { images, computeMs: performance.now() - started }
}

function pair(first: string, second: string | null): PromptPair {
  return { first: [{ text: first, weight: 1 }], second: [{ text: second ?? first, weight: 1 }] }
}

function negativeOf({ zeroNegative }: DiffusionPipeline, request: ImageRequest): PromptPair | 'zeros' {
  if (request.negativePrompt === null && request.negativePrompt2 === null && zeroNegative) return 'zeros'
  return pair(request.negativePrompt ?? '', request.negativePrompt2)
}

async function startOf(
  { initial, mask }: ImageRequest,
  size: { readonly width: number; readonly height: number },
  options: { readonly signal: AbortSignal },
): Promise<StartingPicture | null> {
  if (initial === null) return null
  return {
    picture: toPlanes(await decodePicture(initial.image, size, options)),
    strength: initial.strength,
    mask: mask === null ? null : toRepaintMask(await decodeMask(mask.image, size, options)),
  }
}
