import type { EndingRules } from '../../../core/text-generation.ts'
import type { GrammarFollower } from '../automaton/grammar-follower.ts'
import type { DecodingContext, LogitIndex } from '../binding/native-context.ts'
import type { NativeSampler, NativeSamplerConfig } from '../binding/native-sampler.ts'
import type { OutputConstraint } from '../grammar/output-constraint.ts'
import type { LlamaEngine } from '../llama-engine.ts'

/** The sampler chain of one choice: its settings, and a grammar that may come later. */
export class ChoiceSampler implements Disposable {
  readonly #native: NativeSampler
  readonly #engine: LlamaEngine
  readonly #bias: ReadonlyMap<number, number>
  readonly #account: string
  readonly #ending: EndingRules
  #drawn = 0
  #forced: readonly number[] = []
  #grammar: GrammarFollower | null = null

  constructor(
    engine: LlamaEngine,
    config: NativeSamplerConfig,
    { account, ending, bias }: { readonly account: string; readonly ending: EndingRules; readonly bias: ReadonlyMap<number, number> },
  ) {
    this.#engine = engine
    this.#account = account
    this.#bias = bias
    this.#ending = ending
    this.#native = engine.createSampler(config)
    if (bias.size > 0 || this.#barred().length > 0) this.#restore()
  }

  /**
   * Allows only what the grammar does, from the next token on.
   *
   * @param tokensLeft How many more tokens the answer may have.
   * @throws {ServiceError} `unsupported_parameter` when it cannot be followed, `rate_limit_exceeded` when the account's grammars took too much work.
   */
  constrain({ grammar, param, endsInTime }: OutputConstraint, tokensLeft: number): void {
    const endWithin = endsInTime ? tokensLeft : Number.POSITIVE_INFINITY
    this.#grammar = this.#engine.grammars.follow(grammar, { param, account: this.#account, endWithin })
  }

  /** Forces the next tokens, overriding the model and any grammar. */
  force(tokens: Iterable<number>): void {
    this.#forced = [...tokens]
  }

  get forced(): boolean {
    return this.#forced.length > 0
  }

  /**
   * Draws from the logits at `index`; −1 when nothing may follow.
   *
   * @throws {ServiceError} `unsupported_parameter` when the grammar takes too much work.
   */
  async draw(context: DecodingContext, index: LogitIndex): Promise<number> {
    if (this.forced) {
      const forced = this.#takeForced()
      this.#restore()
      return forced
    }
    const token = await context.sampleToken(index, this.#native)
    if (this.#grammar === null || (token >= 0 && this.#grammar.accept(token))) return this.#note(token)
    this.#forced = this.#grammar.endInTime() ?? (await this.#drawFitting(this.#grammar, context, index))
    const drawn = this.#takeForced()
    this.#restore() // Neither the mask nor rejected draws count.
    return drawn
  }

  [Symbol.dispose](): void {
    this.#native[Symbol.dispose]()
  }

  /** One of all the tokens that may come, or how the answer ends in time. Most tokens that models draw fit, and a look at all takes longer. */
  async #drawFitting(grammar: GrammarFollower, context: DecodingContext, index: LogitIndex): Promise<readonly number[]> {
    this.#restore(grammar.forbidden())
    const token = await context.sampleToken(index, this.#native)
    return token >= 0 && grammar.accept(token) ? [token] : (grammar.endInTime() ?? [])
  }

  #takeForced(): number {
    const [next = -1, ...rest] = this.#forced
    this.#forced = rest
    return this.#note(next)
  }

  #note(token: number): number {
    if (token < 0) return token
    this.#native.note(token)
    if (++this.#drawn === this.#ending.minTokens) this.#restore()
    return token
  }

  /** Tokens that would end the answer and must not come now. */
  #barred(): readonly number[] {
    const { ignoreEnd, minTokens, stopTokens } = this.#ending
    const { ends } = this.#engine.vocabulary
    if (this.#drawn < minTokens) return [...ends, ...stopTokens]
    return ignoreEnd ? ends : []
  }

  #restore(forbidden: Uint32Array = new Uint32Array()): void {
    const barred = this.#barred()
    const never = forbidden.length + barred.length
    const tokens = new Uint32Array(never + this.#bias.size)
    const values = new Float32Array(tokens.length).fill(Number.NEGATIVE_INFINITY, 0, never)
    tokens.set(forbidden)
    tokens.set(barred, forbidden.length)
    tokens.set([...this.#bias.keys()], never)
    values.set([...this.#bias.values()], never)
    this.#native.restore({ tokens, values })
  }
}
