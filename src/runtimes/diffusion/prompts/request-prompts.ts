import { readPromptWeights } from '../../../core/images/prompt-weights.ts'
import type { StyledPrompts } from '../../../core/images/style-preset.ts'
import type { PromptPair, PromptsToEncode } from './encode-prompts.ts'

/** The prompts to encode for a request; without a negative prompt, the model's unconditional input, as in diffusers. */
export function promptsToEncode(
  { prompt, prompt2, negative }: StyledPrompts,
  options: { readonly guided: boolean; readonly zeroNegative: boolean; readonly readsWeights?: boolean; readonly clipSkip: number },
): PromptsToEncode {
  const pair = options.readsWeights === false ? plainPair : weightedPair
  const unwanted = negative === null ? (options.zeroNegative ? 'zeros' : pair('', '')) : pair(negative.prompt, negative.prompt2)
  return {
    positive: pair(prompt, prompt2),
    negative: options.guided ? unwanted : null,
    clipSkip: options.clipSkip,
    truncate: false,
  }
}

/** Prompts without weights in them. */
export function plainPair(first: string, second: string, third?: string): PromptPair {
  const plain = (text: string) => [{ text, weight: 1 }]
  return { first: plain(first), second: plain(second), ...(third !== undefined && { third: plain(third) }) }
}

function weightedPair(first: string, second: string): PromptPair {
  return { first: readPromptWeights(first), second: readPromptWeights(second) }
}
