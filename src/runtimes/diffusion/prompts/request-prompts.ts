import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { readPromptWeights } from '../../../core/prompt-weights.ts'
import { findStylePreset, type StylePreset } from '../../../core/style-preset.ts'
import type { PromptPair, PromptsToEncode } from './encode-prompts.ts'

/** A request's texts after its look was put around them. */
export interface StyledPrompts {
  readonly prompt: string
  readonly prompt2: string | null
  readonly negativePrompt: string | null
  readonly negativePrompt2: string | null
}

/** @throws {ServiceError} `validation_error` for a look that does not exist. */
export function stylePrompts(request: ImageRequest): StyledPrompts {
  const { stylePreset: name, prompt, prompt2, negativePrompt, negativePrompt2 } = request
  if (name === null) return { prompt, prompt2, negativePrompt, negativePrompt2 }
  const preset = findStylePreset(name)
  if (preset === undefined) throw new ServiceError('validation_error', `There is no style preset "${name}".`, { param: 'style_preset' })
  return {
    prompt: around(preset, prompt),
    prompt2: prompt2 ? around(preset, prompt2) : null,
    negativePrompt: negativePrompt ? `${preset.negativePrompt}, ${negativePrompt}` : preset.negativePrompt,
    negativePrompt2: negativePrompt2 ? `${preset.negativePrompt}, ${negativePrompt2}` : null,
  }
}

function around(preset: StylePreset, prompt: string): string {
  // Not String.replace: a dollar sign in a prompt would be special in it.
  return preset.prompt.split('{prompt}').join(prompt)
}

/**
 * What to encode for a request. A second prompt that is absent or empty is the first; an absent negative prompt is
 * the model's unconditional input; both as in diffusers.
 */
export function promptsToEncode(
  styled: StyledPrompts,
  options: { readonly guided: boolean; readonly zeroNegative: boolean; readonly clipSkip: number },
): PromptsToEncode {
  const { prompt, prompt2, negativePrompt, negativePrompt2 } = styled
  const zeros = negativePrompt === null && negativePrompt2 === null && options.zeroNegative
  return {
    positive: pair(prompt, prompt2),
    negative: options.guided ? (zeros ? 'zeros' : pair(negativePrompt ?? '', negativePrompt2)) : null,
    clipSkip: options.clipSkip,
    truncate: false,
  }
}

function pair(first: string, second: string | null): PromptPair {
  return { first: readPromptWeights(first), second: readPromptWeights(second || first) }
}
