import type { TextPart, TextRequest, TokenLogprob } from '../../../core/text-generation.ts'
import type { DrawnLogprobs } from '../batch/generation.ts'
import type { Vocabulary } from '../binding/vocabulary.ts'
import { describeLogprobs, describeToken } from './token-ledger.ts'

/** The prompt as answers begin with it that echo it; its first choice reads it for all of them. */
export class PromptEcho {
  readonly #vocabulary: Vocabulary
  readonly #text: string
  readonly #first: number | null
  readonly #logprobs: TokenLogprob[] | null

  /** @param prompt Its tokens, including the model's begin token, which the client did not send. */
  constructor(vocabulary: Vocabulary, input: Extract<TextRequest['input'], { type: 'prompt' }>, prompt: Uint32Array, scored: boolean) {
    const isOwn = input.tokens === undefined && prompt[0] === vocabulary.begin
    this.#vocabulary = vocabulary
    this.#text = input.tokens === undefined ? input.prompt : Buffer.concat(input.tokens.map(vocabulary.spell)).toString('utf8')
    this.#first = isOwn ? null : (prompt[0] ?? null)
    this.#logprobs = scored ? [] : null
  }

  get scored(): boolean {
    return this.#logprobs !== null
  }

  /** Takes in how likely the next token is; the first has no such number. */
  add(token: number, logprobs: DrawnLogprobs): void {
    this.#logprobs?.push(describeLogprobs(this.#vocabulary, token, logprobs))
  }

  part(choice: number): TextPart {
    const text = { type: 'text', choice, text: this.#text } as const
    if (this.#logprobs === null) return text
    const unscored = this.#first === null ? {} : { unscored: describeToken(this.#vocabulary, this.#first) }
    return { ...text, logprobs: [...this.#logprobs], ...unscored }
  }
}
