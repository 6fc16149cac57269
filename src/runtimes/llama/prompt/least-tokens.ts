import type { TextRequest } from '../../../core/text-generation.ts'

/**
 * Tokens that a request takes at the very least, found without rendering or tokenizing it: every message takes one, and none spells more than the longest.
 *
 * What assistants said is not counted by its length, since templates may leave out their thoughts.
 *
 * @param longestToken Bytes.
 */
export function leastTokens({ input }: TextRequest, longestToken: number): number {
  if (input.type === 'prompt') return Math.ceil(Buffer.byteLength(input.prompt) / longestToken)
  const asked = input.messages.filter((message) => message.role === 'user' || message.role === 'system')
  const bytes = asked.reduce((sum, message) => sum + Buffer.byteLength(message.content ?? ''), 0)
  return Math.max(input.messages.length, Math.ceil(bytes / longestToken))
}
