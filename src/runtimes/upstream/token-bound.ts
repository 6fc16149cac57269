import type { TextPart, TextRequest, TokenUsage } from '../../core/text-generation.ts'

/** Bytes of text that vocabularies make one token of, as a rule. */
const bytesPerToken = 4
/** Characters that no token has. */
const longestToken = 1000

/**
 * Ends an answer that goes on beyond the tokens that were asked for, as a server does that overlooks `max_tokens`: each choice ends with
 * `length`, and when all have ended so does the answer; who reads it stops there, which cancels the request at the server.
 *
 * Every piece of text counts as one token, and as many as it has log probabilities or must be of by its length: the servers that are spoken to here send whole
 * tokens, one or several at a time. What was sent by then is what is used; a prompt that the server has not counted yet is estimated.
 */
export class TokenBound {
  readonly #input: TextRequest['input']
  readonly #most: number
  readonly #written: number[]
  readonly #open: Set<number>
  /** Calls whose name has come and no argument: both come of one token, or the name of none. */
  readonly #named = new Set<string>()
  #promptTokens: number | null = null

  constructor({ input, maxTokens, choices }: Pick<TextRequest, 'input' | 'maxTokens' | 'choices'>) {
    this.#input = input
    // The prompt comes back in pieces that nobody told apart from the answer's.
    this.#most = maxTokens + (input.type === 'prompt' && input.echo ? (input.tokens?.length ?? Buffer.byteLength(input.prompt)) : 0)
    this.#written = new Array<number>(choices).fill(0)
    this.#open = new Set(this.#written.keys())
  }

  /** What is passed on for the next part; a `finish` is the last. */
  pass(part: TextPart): readonly TextPart[] {
    if (part.type === 'prompt') this.#promptTokens = part.usage.promptTokens
    if (!('choice' in part)) return [part]
    const { choice } = part
    // What follows the end that was told here is no part of the answer.
    if (!this.#open.has(choice)) return []
    const tokens = (this.#written[choice] ?? 0) + tokensOf(part) - this.#countedBefore(part)
    if (tokens <= this.#most) {
      this.#written[choice] = tokens
      if (part.type === 'choice-finish') this.#open.delete(choice)
      return [part]
    }
    this.#open.delete(choice)
    const end: TextPart = { type: 'choice-finish', choice, reason: 'length' }
    return this.#open.size > 0 ? [end] : [end, { type: 'finish', usage: this.#usage() }]
  }

  #countedBefore(part: TextPart): number {
    if (part.type === 'tool-call') this.#named.add(`${part.choice} ${part.index}`)
    return part.type === 'tool-arguments' && this.#named.delete(`${part.choice} ${part.index}`) ? 1 : 0
  }

  #usage(): TokenUsage {
    const completionTokens = this.#written.reduce((sum, count) => sum + count, 0)
    return { promptTokens: this.#promptTokens ?? estimatePrompt(this.#input), completionTokens, cachedTokens: 0 }
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
