import type { TextPart, TextRequest } from '../../core/text-generation.ts'

/** Bytes of text that vocabularies make one token of, as a rule. */
const bytesPerToken = 4
/** Characters that no token has. */
const longestToken = 1000

/**
 * Ends an answer that goes on beyond the tokens that were asked for, as a server does that overlooks `max_tokens`: each choice ends with
 * `length`, and when all have ended nothing more is read, which cancels the request at the server.
 *
 * Every piece of text counts as one token, and as many as it has log probabilities or must be of by its length: the servers that are spoken to here send whole
 * tokens, one or several at a time. What was sent by then is what is used; a prompt that the server has not counted yet is estimated.
 */
export async function* boundTokens(
  parts: AsyncIterable<TextPart>,
  { input, maxTokens, choices }: Pick<TextRequest, 'input' | 'maxTokens' | 'choices'>,
): AsyncGenerator<TextPart, void, undefined> {
  // The prompt comes back in pieces that nobody told apart from the answer's.
  const most = maxTokens + (input.type === 'prompt' && input.echo ? (input.tokens?.length ?? Buffer.byteLength(input.prompt)) : 0)
  const written = new Map<number, number>()
  const open = new Set(Array.from({ length: choices }, (_, index) => index))
  let promptTokens: number | null = null
  for await (const part of parts) {
    if (part.type === 'prompt') promptTokens = part.usage.promptTokens
    if (!('choice' in part)) {
      yield part
      continue
    }
    const { choice } = part
    // What follows the end that was told here is no part of the answer.
    if (!open.has(choice)) continue
    const tokens = (written.get(choice) ?? 0) + tokensOf(part)
    if (tokens <= most) {
      written.set(choice, tokens)
      if (part.type === 'choice-finish') open.delete(choice)
      yield part
      continue
    }
    open.delete(choice)
    yield { type: 'choice-finish', choice, reason: 'length' }
    if (open.size > 0) continue
    const completionTokens = written.values().reduce((sum, count) => sum + count, 0)
    yield { type: 'finish', usage: { promptTokens: promptTokens ?? estimatePrompt(input), completionTokens, cachedTokens: 0 } }
    return
  }
}

function tokensOf(part: TextPart): number {
  if (part.type === 'text') return Math.max(Math.ceil(part.text.length / longestToken), part.logprobs?.length ?? 0)
  if (part.type === 'thoughts') return Math.ceil(part.text.length / longestToken)
  if (part.type === 'tool-arguments') return Math.ceil(part.fragment.length / longestToken)
  return part.type === 'tool-call' ? 1 : 0
}

function estimatePrompt(input: TextRequest['input']): number {
  if (input.type === 'prompt' && input.tokens !== undefined) return input.tokens.length
  const texts = input.type === 'prompt' ? [input.prompt] : input.messages.map(({ content }) => content ?? '')
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / bytesPerToken)
}
