import { promptField, type TextRequest } from '../../../core/text-generation.ts'
import { tooLong } from './prompt-tokens.ts'

/** Prompts at least this many times too long are refused without tokenizing them. */
const oversizeFactor = 4

/**
 * A lower bound of a request's tokens without rendering or tokenizing: one per message, and the bytes divided by the longest token.
 *
 * The length of assistant messages is ignored, since templates may omit their reasoning.
 *
 * @param longestToken Bytes.
 */
export function leastTokens({ input }: Pick<TextRequest, 'input'>, longestToken: number): number {
  if (input.type === 'prompt' && input.tokens !== undefined) return input.tokens.length
  if (input.type === 'prompt') {
    const { suffix = '', files = [] } = input.gap ?? {}
    return minTokensOf([input.prompt, suffix, ...files.flatMap(({ name, text }) => [name, text])], longestToken)
  }
  const requested = input.messages.filter((message) => message.role === 'user' || message.role === 'system')
  const texts = requested.map(({ content }) => content ?? '')
  return Math.max(input.messages.length, minTokensOf(texts, longestToken))
}

function minTokensOf(texts: readonly string[], longestToken: number): number {
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / longestToken)
}

/** @throws {ServiceError} `context_length_exceeded` when a prompt is surely many times too long. */
export function refuseOversizedPrompt(
  { longestToken, contextLength }: { readonly longestToken: number; readonly contextLength: number },
  input: TextRequest['input'],
): void {
  const least = leastTokens({ input }, longestToken)
  if (least > oversizeFactor * contextLength) throw tooLong(`at least ${least}`, contextLength, promptField(input))
}
