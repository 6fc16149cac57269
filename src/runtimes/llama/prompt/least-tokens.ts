import { promptField, type TextRequest } from '../../../core/text-generation.ts'
import { tooLong } from './prompt-tokens.ts'

/** Prompts that are surely so many times too long are not tokenized, only to say by how much. */
const hopeless = 4

/**
 * Tokens that a request takes at the very least, found without rendering or tokenizing it: every message takes one, and none spells more than the longest.
 *
 * What assistants said is not counted by its length, since templates may leave out their thoughts.
 *
 * @param longestToken Bytes.
 */
export function leastTokens({ input }: Pick<TextRequest, 'input'>, longestToken: number): number {
  if (input.type === 'prompt' && input.tokens !== undefined) return input.tokens.length
  if (input.type === 'prompt') {
    const { suffix = '', files = [] } = input.gap ?? {}
    return leastOf([input.prompt, suffix, ...files.flatMap(({ name, text }) => [name, text])], longestToken)
  }
  const requested = input.messages.filter((message) => message.role === 'user' || message.role === 'system')
  const texts = requested.map(({ content }) => content ?? '')
  return Math.max(input.messages.length, leastOf(texts, longestToken))
}

function leastOf(texts: readonly string[], longestToken: number): number {
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / longestToken)
}

/** @throws {ServiceError} `context_length_exceeded` when a prompt is surely many times too long. */
export function refuseHopeless(
  { longestToken, contextLength }: { readonly longestToken: number; readonly contextLength: number },
  input: TextRequest['input'],
): void {
  const least = leastTokens({ input }, longestToken)
  if (least > hopeless * contextLength) throw tooLong(`at least ${least}`, contextLength, promptField(input))
}
