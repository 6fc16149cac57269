import type { EndingRules } from '../../../core/text-generation.ts'
import type { GrammarFollower } from '../automaton/grammar-follower.ts'
import type { LogitIndex, NativeContext, NativeSampler, NativeSamplerConfig } from '../binding/native-binding.ts'
import type { OutputConstraint } from '../grammar/output-constraint.ts'
import type { LlamaEngine } from '../llama-engine.ts'

/** The sampler chain of one choice: its settings, and a grammar that may come later. */
export class ChoiceSampler implements Disposable {
  readonly #native: NativeSampler
  readonly #engine: LlamaEngine
  readonly #config: NativeSamplerConfig
  readonly #account: string
  readonly #ending: EndingRules
  readonly #drawn: number[] = []
  #forced: readonly number[] = []
  #grammar: GrammarFollower | null = null

  constructor(
    engine: LlamaEngine,
    config: NativeSamplerConfig,
    { account, ending }: { readonly account: string; readonly ending: EndingRules },
  ) {
    this.#engine = engine
    this.#account = account
    this.#config = config
    this.#ending = ending
    this.#native = engine.createSampler(config)
    if (this.#barred().length > 0) this.#apply()
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

  /** Makes these the next tokens, whatever the model or a grammar says. */
  force(tokens: Iterable<number>): void {
    this.#forced = [...tokens]
  }

  /** Whether the next token is settled already. */
  get forced(): boolean {
    return this.#forced.length > 0
  }

  /**
   * Draws from the logits at `index`; −1 when nothing may follow.
   *
   * @throws {ServiceError} `unsupported_parameter` when the grammar takes too much work.
   */
  async draw(context: NativeContext, index: LogitIndex): Promise<number> {
    if (this.forced) return this.#takeForced()
    const token = await context.sampleToken(index, this.#native)
    if (this.#grammar === null || (token >= 0 && this.#grammar.accept(token))) return this.#note(token)
    this.#forced = this.#grammar.endInTime() ?? (await this.#drawFitting(this.#grammar, context, index))
    const drawn = this.#takeForced()
    this.#apply() // neither the mask nor what was drawn in vain is to count
    return drawn
  }

  [Symbol.dispose](): void {
    this.#native.dispose()
  }

  /** One of all the tokens that may come, or how the answer ends in time. Most tokens that models draw fit, and a look at all takes longer. */
  async #drawFitting(grammar: GrammarFollower, context: NativeContext, index: LogitIndex): Promise<readonly number[]> {
    this.#apply(grammar.forbidden())
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
    this.#drawn.push(token)
    if (this.#drawn.length === this.#ending.minTokens) this.#apply()
    return token
  }

  /** Tokens that would end the answer and must not come now. */
  #barred(): readonly number[] {
    const { ignoreEnd, minTokens, stopTokens } = this.#ending
    const { ends } = this.#engine.vocabulary
    if (this.#drawn.length < minTokens) return [...ends, ...stopTokens]
    return ignoreEnd ? ends : []
  }

  #apply(forbidden: Uint32Array = new Uint32Array()): void {
    const { repeatPenaltyTokens = [], tokenBiasKeys = [], tokenBiasValues = [] } = this.#config
    const barred = this.#barred()
    const never = forbidden.length + barred.length
    const tokens = new Uint32Array(never + tokenBiasKeys.length)
    const values = new Float32Array(tokens.length).fill(Number.NEGATIVE_INFINITY, 0, never)
    tokens.set(forbidden)
    tokens.set(barred, forbidden.length)
    tokens.set(tokenBiasKeys, never)
    values.set(tokenBiasValues, never)
    this.#native.applyConfig({
      ...this.#config,
      repeatPenaltyTokens: Uint32Array.from([...repeatPenaltyTokens, ...this.#drawn]),
      tokenBiasKeys: tokens,
      tokenBiasValues: values,
    })
  }
}
