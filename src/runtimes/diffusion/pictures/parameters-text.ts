import type { ImageRequest } from '../../../core/image-generation.ts'
import type { StyledPrompts } from '../prompts/request-prompts.ts'

/**
 * How an image was made, in the text convention of A1111's web interface: the prompt, a line `Negative prompt: …`, and
 * one line of `name: value` pairs.
 */
export function describeParameters(
  request: ImageRequest,
  { prompt, prompt2, negativePrompt, negativePrompt2 }: StyledPrompts,
  { seed, model }: { readonly seed: number; readonly model: string },
): string {
  const pairs: readonly (readonly [string, string | number | null])[] = [
    ['Steps', request.steps],
    ['Sampler', request.sampler],
    ['CFG scale', request.guidanceScale],
    ['Seed', seed],
    ['Size', `${request.width}x${request.height}`],
    ['Model', model],
    ['Denoising strength', request.initial?.strength ?? null],
    ['Clip skip', request.clipSkip],
    ['Style preset', request.stylePreset],
    ['Refiner switch at', request.refinerStart],
    ['Prompt 2', prompt2],
    ['Negative prompt 2', negativePrompt2],
    ['Version', 'Sepia'],
  ]
  const line = pairs.flatMap(([name, value]) => (value === null ? [] : [`${name}: ${quoted(value)}`])).join(', ')
  return [prompt, ...(negativePrompt === null ? [] : [`Negative prompt: ${negativePrompt}`]), line].join('\n')
}

/** Values with characters that separate pairs are quoted. */
function quoted(value: string | number): string {
  return typeof value === 'string' && /[,:\n"]/u.test(value) ? JSON.stringify(value) : String(value)
}
