import type { ImageRequest } from '../../../core/image-generation.ts'
import { loraTag } from '../../../core/images/lora.ts'
import type { StyledPrompts } from '../../../core/images/style-preset.ts'

/**
 * How an image was made, in the text convention of A1111's web interface: the prompt, a line `Negative prompt: …`, and
 * one line of `name: value` pairs.
 */
export function describeParameters(
  request: ImageRequest,
  { prompt, prompt2, negative }: StyledPrompts,
  { seed, model }: { readonly seed: number; readonly model: string },
): string {
  const { highResolution } = request
  const { width, height } = highResolution?.first ?? request
  const pairs: readonly (readonly [string, string | number | null])[] = [
    ['Steps', request.steps],
    ['Sampler', request.sampler],
    ['CFG scale', request.guidanceScale],
    ['CFG rescale', request.guidanceRescale || null],
    ['Seed', seed],
    ['Size', `${width}x${height}`],
    ['Model', model],
    ['Denoising strength', (highResolution ?? request.initial)?.strength ?? null],
    ['Hires upscale', highResolution === undefined ? null : request.width / width],
    ['Hires upscaler', highResolution === undefined ? null : (highResolution.upscaler ?? 'Latent')],
    ['Hires steps', highResolution?.steps ?? null],
    ['Mask blur', request.mask?.blur || null],
    ['Clip skip', request.clipSkip || null],
    ['Style preset', request.stylePreset],
    ['Refiner switch at', request.refinerStart],
    ['Prompt 2', prompt2 === prompt ? null : prompt2],
    ['Negative prompt 2', negative?.prompt2 === negative?.prompt ? null : (negative?.prompt2 ?? null)],
    ['Version', 'Sepia'],
  ]
  const line = pairs.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${quoted(value)}`])).join(', ')
  const positive = [prompt, ...request.loras.map(loraTag)].join(' ')
  return [positive, ...(negative === null ? [] : [`Negative prompt: ${negative.prompt}`]), line].join('\n')
}

/** Values with characters that separate pairs are quoted. */
function quoted(value: string | number): string {
  return typeof value === 'string' && /[,:\n"]/u.test(value) ? JSON.stringify(value) : String(value)
}
