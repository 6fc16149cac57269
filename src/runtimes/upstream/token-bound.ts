import type { TextPart, TextRequest, TokenUsage } from '../../core/text-generation.ts'
import type { DecodedPart } from './data-lines.ts'
import type { CountedTokens } from './token-count.ts'

/** Typical bytes of text per token. */
const bytesPerToken = 4
/** Maximum characters of one token. */
const longestToken = 1000
/** Maximum characters per token, and the length of text from which it applies, since single tokens can be longer. */
const [maxPerToken, minCut] = [32, 4096]

/**
 * Ends an answer from a server that ignores `max_tokens`. Each choice ends with
 * `length`, and the answer with the last of them; the reader then stops, which cancels the request on the server.
 *
 * A piece of text counts as one token, or as many as it has log probabilities or must have by its length: supported servers send whole
 * tokens, one or several at a time. Text from a server that does not stream is cut where it exceeds the longest possible text of that many tokens.
 *
 * Missing counts are estimated from the text so far; so is the prompt's until the server reports it.
 */
export class TokenBound {
  readonly #input: TextRequest['input']
  readonly #most: number
  readonly #written: number[]
  readonly #lengths: { characters: number; bytes: number }[]
  readonly #open: Set<number>
  readonly #onUncounted: () => void
  /** Calls with a name and no arguments yet: both come from one token, or the name from none. */
  readonly #named = new Set<string>()
  #promptTokens: number | null = null

  /** @param onUncounted Called if the server's own counts are missing at the end. */
  constructor(
    { input, maxTokens, choices }: Pick<TextRequest, 'input' | 'maxTokens' | 'choices'>,
    { onUncounted = () => {} }: { readonly onUncounted?: () => void } = {},
  ) {
    this.#input = input
    // An echoed prompt arrives in pieces like those of the answer.
    this.#most = maxTokens + (input.type === 'prompt' && input.echo ? (input.tokens?.length ?? Buffer.byteLength(input.prompt)) : 0)
    this.#written = new Array<number>(choices).fill(0)
    this.#lengths = this.#written.map(() => ({ characters: 0, bytes: 0 }))
    this.#open = new Set(this.#written.keys())
    this.#onUncounted = onUncounted
  }

  /** Returns the parts to pass on for the next part; a `finish` is the last. */
  pass(part: DecodedPart): readonly TextPart[] {
    if (part.type === 'prompt') this.#promptTokens = part.usage.promptTokens
    if (part.type === 'finish') return [{ type: 'finish', usage: this.#complete(part.usage) }]
    if (!('choice' in part)) return [part]
    const { choice } = part
    // Anything after the reported end is ignored.
    if (!this.#open.has(choice)) return []
    const tokens = (this.#written[choice] ?? 0) + tokensOf(part) - this.#countedBefore(part)
    if (tokens > this.#most) return this.#cut(choice)
    const room = Math.max(minCut, this.#most * maxPerToken) - (this.#lengths[choice]?.characters ?? 0)
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

  /** The server's counts, with estimates for those that are missing, or 0 although there is text. */
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

/** The text that a part adds. */
function textOf(part: TextPart): string {
  if (part.type === 'text' || part.type === 'thoughts') return part.text
  return part.type === 'tool-arguments' ? part.fragment : ''
}

/** The beginning of a part, without the scores of incomplete tokens. */
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
