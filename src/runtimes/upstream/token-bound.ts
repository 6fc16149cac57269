import { promptTexts, tokensPerPicture, typicalTokens } from '../../core/text/prompt-texts.ts'
import type { FinishReason, TextPart, TextRequest, TokenUsage } from '../../core/text-generation.ts'
import type { DecodedPart } from './data-lines.ts'
import type { CountedTokens } from './token-count.ts'

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
  /** Whether a choice was ended here and the answer was not yet. */
  #wasCut = false

  /** @param onUncounted Called if the server's own counts are missing at the end. */
  constructor(
    { input, maxTokens, choices }: Pick<TextRequest, 'input' | 'maxTokens' | 'choices'>,
    { onUncounted = () => {} }: { readonly onUncounted?: (() => void) | undefined } = {},
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
    // Anything after the end of a choice is ignored, but a server that continues after the last one will not report its counts soon.
    if (!this.#open.has(choice)) return this.#open.size === 0 && this.#wasCut && part.type !== 'choice-finish' ? [this.#finish()] : []
    const tokens = (this.#written[choice] ?? 0) + tokensOf(part) - this.#countedBefore(part)
    if (tokens > this.#most) return this.end({ choice, reason: 'length' })
    const room = Math.max(minCut, this.#most * maxPerToken) - (this.#lengths[choice]?.characters ?? 0)
    this.#written[choice] = tokens
    if (textOf(part).length > room) return [...this.#note(choice, shorten(part, room)), ...this.end({ choice, reason: 'length' })]
    if (part.type === 'choice-finish') this.#open.delete(choice)
    return this.#note(choice, part)
  }

  /** Tokens of a choice so far. */
  written(choice: number): number {
    return this.#written[choice] ?? 0
  }

  /**
   * Ends a choice here, and with the last of them the answer; the rest of the choice is ignored.
   *
   * @param options.awaitsCounts Whether the server may have ended too; then the answer ends with its counts, or with its next text.
   */
  end(
    finish: { readonly choice: number; readonly reason: FinishReason; readonly stop?: string },
    { awaitsCounts = false }: { readonly awaitsCounts?: boolean } = {},
  ): readonly TextPart[] {
    this.#open.delete(finish.choice)
    this.#wasCut = true
    const end: TextPart = { type: 'choice-finish', ...finish }
    return this.#open.size > 0 || awaitsCounts ? [end] : [end, this.#finish()]
  }

  #finish(): TextPart {
    this.#wasCut = false
    const promptTokens = this.#promptTokens ?? typicalPrompt(this.#input)
    return { type: 'finish', usage: { promptTokens, completionTokens: this.#estimate(), cachedTokens: 0 } }
  }

  #note(choice: number, part: TextPart): readonly TextPart[] {
    const [length, text] = [this.#lengths[choice], textOf(part)]
    if (length !== undefined) {
      length.characters += text.length
      length.bytes += Buffer.byteLength(text)
    }
    return [part]
  }

  #countedBefore(part: TextPart): number {
    if (part.type === 'tool-call') this.#named.add(`${part.choice} ${part.index}`)
    return part.type === 'tool-arguments' && this.#named.delete(`${part.choice} ${part.index}`) ? 1 : 0
  }

  /** Tokens of all choices, from their pieces and their length. */
  #estimate(): number {
    const bytes = this.#lengths.reduce((sum, length) => sum + length.bytes, 0)
    const pieces = this.#written.reduce((sum, count) => sum + count, 0)
    return Math.min(Math.max(pieces, typicalTokens(bytes)), this.#most * this.#written.length)
  }

  /** The server's counts, with estimates for those that are missing, or zero although there is text. */
  #complete(counted: CountedTokens | undefined): TokenUsage {
    const written = this.#estimate()
    const { promptTokens, completionTokens, ...rest } = counted ?? { promptTokens: undefined, completionTokens: undefined, cachedTokens: 0 }
    const [prompt, completion] = [promptTokens || (this.#promptTokens ?? typicalPrompt(this.#input)), completionTokens || written]
    if (prompt !== promptTokens || completion !== completionTokens) this.#onUncounted()
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

function typicalPrompt(input: TextRequest['input']): number {
  if (input.type === 'prompt' && input.tokens !== undefined) return input.tokens.length
  const { texts, tools, pictures } = promptTexts(input)
  const bytes = [...texts, tools].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return typicalTokens(bytes) + pictures * tokensPerPicture
}
