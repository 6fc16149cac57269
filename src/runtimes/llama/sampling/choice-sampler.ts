import type { NativeGrammarState, NativeSampler, NativeSamplerConfig } from '../binding/native-binding.ts'
import { type ClosingBias, JsonCloser } from '../grammar/json-closer.ts'
import type { OutputConstraint } from '../grammar/output-constraint.ts'
import type { LlamaEngine } from '../llama-engine.ts'

/** The sampler chain of one choice: its settings, a grammar that may come later, and the pull that ends JSON in time. */
export class ChoiceSampler implements Disposable {
  readonly native: NativeSampler
  readonly #engine: LlamaEngine
  readonly #config: NativeSamplerConfig
  readonly #drawn: number[] = []
  #grammar: NativeGrammarState | null = null
  #closer: JsonCloser | null = null
  #bias: ClosingBias | null = null

  constructor(engine: LlamaEngine, config: NativeSamplerConfig) {
    this.#engine = engine
    this.#config = config
    this.native = engine.createSampler(config)
  }

  /** Allows only what the grammar does, from the next token on. */
  constrain(constraint: OutputConstraint): void {
    this.#grammar = this.#engine.createGrammarState(constraint.grammar)
    this.#closer = new JsonCloser(this.#engine.vocabulary, constraint)
    this.#apply()
  }

  /** Notes a drawn token and the text that came of it. */
  accept(token: number, text: string, tokensLeft: number): void {
    this.#drawn.push(token)
    const bias = this.#closer?.next(text, tokensLeft) ?? null
    if (bias === this.#bias) return
    this.#bias = bias
    this.#apply()
  }

  [Symbol.dispose](): void {
    this.native.dispose()
  }

  #apply(): void {
    const { repeatPenaltyTokens = [], tokenBiasKeys = [], tokenBiasValues = [] } = this.#config
    this.native.applyConfig({
      ...this.#config,
      repeatPenaltyTokens: Uint32Array.from([...repeatPenaltyTokens, ...this.#drawn]),
      tokenBiasKeys: Uint32Array.from([...tokenBiasKeys, ...(this.#bias?.tokens ?? [])]),
      tokenBiasValues: Float32Array.from([...tokenBiasValues, ...(this.#bias?.values ?? [])]),
      ...(this.#grammar !== null && { grammarEvaluationState: this.#grammar }),
    })
  }
}
