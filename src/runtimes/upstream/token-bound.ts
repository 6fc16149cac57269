import type { TextPart, TextRequest, TokenUsage } from '../../core/text-generation.ts'
import type { DecodedPart } from './data-lines.ts'
import type { CountedTokens } from './token-count.ts'

/** Bytes of text that vocabularies make one token of, as a rule. */
const bytesPerToken = 4
/** Characters that no token has. */
const longestToken = 1000
/** Characters that no text has per token, and how many pass before that counts: single tokens are longer. */
const [mostPerToken, leastCut] = [32, 4096]

/**
 * Ends an answer that goes on beyond the tokens that were asked for, as a server does that overlooks `max_tokens`: each choice ends with
 * `length`, and the answer ends with the last of them; its reader stops there, which cancels the request at the server.
 *
 * Every piece of text counts as one token, and as many as it has log probabilities or must be of by its length: the servers that are spoken to here send whole
 * tokens, one or several at a time. The whole text of a server that does not stream is cut where it is longer than so many tokens can be.
 *
 * Counts that a server does not send are estimated from what was sent by then; so is a prompt that it has not counted yet.
 */
export class TokenBound {
  readonly #input: TextRequest['input']
  readonly #most: number
  readonly #written: number[]
  readonly #lengths: { characters: number; bytes: number }[]
  readonly #open: Set<number>
  readonly #onUncounted: () => void
  /** Calls whose name has come and no argument: both come of one token, or the name of none. */
  readonly #named = new Set<string>()
  #promptTokens: number | null = null

  /** @param onUncounted Called where a server's own counts are missing at the end. */
  constructor(
    { input, maxTokens, choices }: Pick<TextRequest, 'input' | 'maxTokens' | 'choices'>,
    { onUncounted = () => {} }: { readonly onUncounted?: () => void } = {},
  ) {
    this.#input = input
    // The prompt comes back in pieces that look like the answer's.
    this.#most = maxTokens + (input.type === 'prompt' && input.echo ? (input.tokens?.length ?? Buffer.byteLength(input.prompt)) : 0)
    this.#written = new Array<number>(choices).fill(0)
    this.#lengths = this.#written.map(() => ({ characters: 0, bytes: 0 }))
    this.#open = new Set(this.#written.keys())
    this.#onUncounted = onUncounted
  }

  /** What is passed on for the next part; a `finish` is the last. */
  pass(part: DecodedPart): readonly TextPart[] {
    if (part.type === 'prompt') this.#promptTokens = part.usage.promptTokens
    if (part.type === 'finish') return [{ type: 'finish', usage: this.#complete(part.usage) }]
    if (!('choice' in part)) return [part]
    const { choice } = part
    // What follows the reported end is no part of the answer.
    if (!this.#open.has(choice)) return []
    const tokens = (this.#written[choice] ?? 0) + tokensOf(part) - this.#countedBefore(part)
    if (tokens > this.#most) return this.#cut(choice)
    const room = Math.max(leastCut, this.#most * mostPerToken) - (this.#lengths[choice]?.characters ?? 0)
    this.#written[choice] = tokens
    if (textOf(part).length > room) return [...this.#note(choice, shorten(part, room)), ...this.#cut(choice)]
    if (part.type === 'choice-finish') this.#open.delete(choice)
    return this.#note(choice, part)
  }

  #note(choice: number, part: TextPart): readonly TextPart[] {
    const [length, text] = [this.#lengths[choice], textOf(part)]
    if (length !== undefined) {
      length.characters += text.length
      length.bytes += Buffer.byteLength(text)
    }
    return [part]
  }

  #cut(choice: number): readonly TextPart[] {
    this.#open.delete(choice)
    const end: TextPart = { type: 'choice-finish', choice, reason: 'length' }
    const usage = { promptTokens: this.#promptTokens ?? estimatePrompt(this.#input), completionTokens: this.#pieces(), cachedTokens: 0 }
    return this.#open.size > 0 ? [end] : [end, { type: 'finish', usage }]
  }

  #countedBefore(part: TextPart): number {
    if (part.type === 'tool-call') this.#named.add(`${part.choice} ${part.index}`)
    return part.type === 'tool-arguments' && this.#named.delete(`${part.choice} ${part.index}`) ? 1 : 0
  }

  #pieces(): number {
    return this.#written.reduce((sum, count) => sum + count, 0)
  }

  /** The counts of a server, with estimates for those that it does not send, or sends as 0 of something. */
  #complete(counted: CountedTokens | undefined): TokenUsage {
    const bytes = this.#lengths.reduce((sum, length) => sum + length.bytes, 0)
    const written = Math.min(Math.max(this.#pieces(), Math.ceil(bytes / bytesPerToken)), this.#most * this.#written.length)
    const { promptTokens, completionTokens, ...rest } = counted ?? { promptTokens: undefined, completionTokens: undefined, cachedTokens: 0 }
    if (promptTokens === undefined || completionTokens === undefined || (completionTokens === 0 && written > 0)) this.#onUncounted()
    const [prompt, completion] = [promptTokens ?? this.#promptTokens ?? estimatePrompt(this.#input), completionTokens || written]
    const { cachedTokens, thoughtTokens } = rest
    return {
      promptTokens: prompt,
      completionTokens: completion,
      ...rest,
      // Parts of these, however many a server says.
      cachedTokens: Math.min(cachedTokens, prompt),
      ...(thoughtTokens !== undefined && { thoughtTokens: Math.min(thoughtTokens, completion) }),
    }
  }
}

function tokensOf(part: TextPart): number {
  if (part.type === 'text') return Math.max(Math.ceil(part.text.length / longestToken), part.logprobs?.length ?? 0)
  return part.type === 'tool-call' ? 1 : Math.ceil(textOf(part).length / longestToken)
}

/** What a part adds to what was said. */
function textOf(part: TextPart): string {
  if (part.type === 'text' || part.type === 'thoughts') return part.text
  return part.type === 'tool-arguments' ? part.fragment : ''
}

/** The beginning of a part; scores of tokens that are not all there are left out. */
function shorten(part: TextPart, characters: number): TextPart {
  const text = textOf(part)
    .slice(0, Math.max(0, characters))
    .replace(/[\ud800-\udbff]$/, '')
  if (part.type === 'text') return { type: 'text', choice: part.choice, text }
  if (part.type === 'thoughts') return { ...part, text }
  return part.type === 'tool-arguments' ? { ...part, fragment: text } : part
}

function estimatePrompt(input: TextRequest['input']): number {
  if (input.type === 'prompt' && input.tokens !== undefined) return input.tokens.length
  const texts = input.type === 'prompt' ? [input.prompt] : input.messages.map(({ content }) => content ?? '')
  return Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / bytesPerToken)
}
