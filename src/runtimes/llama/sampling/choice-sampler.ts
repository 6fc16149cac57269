import type { EndingRules } from '../../../core/text-generation.ts'
import type { GrammarFollower } from '../automaton/grammar-follower.ts'
import type { LogitIndex, NativeContext, NativeSampler, NativeSamplerConfig } from '../binding/native-binding.ts'
import { type ClosingBias, JsonCloser } from '../grammar/json-closer.ts'
import type { OutputConstraint } from '../grammar/output-constraint.ts'
import type { LlamaEngine } from '../llama-engine.ts'

/** The sampler chain of one choice: its settings, a grammar that may come later, and the pull that ends JSON in time. */
export class ChoiceSampler implements Disposable {
  readonly #native: NativeSampler
  readonly #engine: LlamaEngine
  readonly #config: NativeSamplerConfig
  readonly #account: string
  readonly #ending: EndingRules
  readonly #drawn: number[] = []
  #forced: readonly number[] = []
  #grammar: GrammarFollower | null = null
  #closer: JsonCloser | null = null
  #bias: ClosingBias | null = null

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
   * @throws {ServiceError} `unsupported_parameter` when it cannot be followed, `rate_limit_exceeded` when the account's grammars took too much work.
   */
  constrain(constraint: OutputConstraint): void {
    this.#grammar = this.#engine.grammars.follow(constraint.grammar, { param: constraint.param, account: this.#account })
    this.#closer = new JsonCloser(this.#engine.vocabulary, constraint)
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
    const [settled, ...rest] = this.#forced
    this.#forced = rest
    if (settled !== undefined) return this.#note(settled)
    const token = await context.sampleToken(index, this.#native)
    if (this.#grammar === null || (token >= 0 && this.#grammar.accept(token))) return this.#note(token)
    this.#apply(this.#grammar.forbidden()) // only now, since most tokens that models draw fit and a look at all takes longer
    const fitting = await context.sampleToken(index, this.#native)
    const drawn = this.#note(fitting >= 0 && this.#grammar.accept(fitting) ? fitting : -1)
    this.#apply()
    return drawn
  }

  /** Notes the text that came of a token. */
  accept(text: string, tokensLeft: number): void {
    const bias = this.#closer?.next(text, tokensLeft) ?? null
    if (bias === this.#bias) return
    this.#bias = bias
    this.#apply()
  }

  [Symbol.dispose](): void {
    this.#native.dispose()
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
    const wanted = [...tokenBiasKeys, ...(this.#bias?.tokens ?? [])]
    const never = forbidden.length + barred.length
    const tokens = new Uint32Array(never + wanted.length)
    const values = new Float32Array(tokens.length).fill(Number.NEGATIVE_INFINITY, 0, never)
    tokens.set(forbidden)
    tokens.set(barred, forbidden.length)
    tokens.set(wanted, never)
    values.set([...tokenBiasValues, ...(this.#bias?.values ?? [])], never)
    this.#native.applyConfig({
      ...this.#config,
      repeatPenaltyTokens: Uint32Array.from([...repeatPenaltyTokens, ...this.#drawn]),
      tokenBiasKeys: tokens,
      tokenBiasValues: values,
    })
  }
}
