import { ServiceError } from '../../../core/error.ts'
import type { ImageRequest } from '../../../core/image-generation.ts'
import { readPromptWeights } from '../../../core/prompt-weights.ts'
import { findStylePreset, type StylePreset } from '../../../core/style-preset.ts'
import type { PromptPair, PromptsToEncode } from './encode-prompts.ts'

/** A request's texts after its look was put around them. */
export type StyledPrompts = Pick<ImageRequest, 'prompt' | 'prompt2' | 'negative'>

/** @throws {ServiceError} `validation_error` for a look that does not exist. */
export function stylePrompts({ stylePreset: name, prompt, prompt2, negative, guidanceScale }: ImageRequest): StyledPrompts {
  if (name === null) return { prompt, prompt2, negative }
  const preset = findStylePreset(name)
  if (preset === undefined) throw new ServiceError('validation_error', `There is no style preset "${name}".`, { param: 'style_preset' })
  const unwanted = (own = ''): string => [preset.negativePrompt, own].filter((text) => text !== '').join(', ')
  return {
    prompt: around(preset, prompt),
    prompt2: around(preset, prompt2),
    // Without guidance nothing keeps a look's unwanted words out; a request's own are refused before.
    negative:
      negative === null && (preset.negativePrompt === '' || guidanceScale <= 1)
        ? null
        : { prompt: unwanted(negative?.prompt), prompt2: unwanted(negative?.prompt2) },
  }
}

function around(preset: StylePreset, prompt: string): string {
  // Not String.replace: a dollar sign in a prompt would be special in it.
  return preset.prompt.split('{prompt}').join(prompt)
}

/** What to encode for a request; an absent negative prompt is the model's unconditional input, as in diffusers. */
export function promptsToEncode(
  { prompt, prompt2, negative }: StyledPrompts,
  options: { readonly guided: boolean; readonly zeroNegative: boolean; readonly clipSkip: number },
): PromptsToEncode {
  const unwanted = negative === null ? (options.zeroNegative ? 'zeros' : pair('', '')) : pair(negative.prompt, negative.prompt2)
  return {
    positive: pair(prompt, prompt2),
    negative: options.guided ? unwanted : null,
    clipSkip: options.clipSkip,
    truncate: false,
  }
}

function pair(first: string, second: string): PromptPair {
  return { first: readPromptWeights(first), second: readPromptWeights(second) }
}
