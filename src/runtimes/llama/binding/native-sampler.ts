import type { runApart } from './llama-functions.ts'
import type { Pointer } from './llama-layout.ts'
import type { LlamaLibrary } from './llama-library.ts'
import type { NativeModel } from './native-model.ts'

export interface NativeSamplerConfig {
  /** Left out: the likeliest token comes. */
  readonly temperature?: number
  readonly topK?: number
  readonly topP?: number
  readonly minP?: number
  readonly seed?: number
  readonly penalties?: Penalties
}

/** Penalties for repeated tokens. */
export interface Penalties {
  readonly repetition: number
  readonly presence: number
  readonly frequency: number
  /** Tokens that count, the last ones of a text. */
  readonly last: number
  /** Tokens that came before the first is drawn. */
  readonly before: Uint32Array
}

/** Additions to logits of tokens. */
export interface LogitBias {
  readonly tokens: Uint32Array
  readonly values: Float32Array
}

/**
 * A chain of llama.cpp's samplers, in its order: bias, penalties, top-k, top-p, min-p, temperature, draw. It remembers its random state, and
 * which tokens it drew where penalties count them.
 */
export class NativeSampler implements Disposable {
  readonly #library: LlamaLibrary
  readonly #vocabularySize: number
  readonly #chain: Pointer
  /** Samplers of the chain, in order. */
  readonly #drawing: readonly Pointer[]
  /** Sampler of accepted tokens; separate from the chain, whose drawn tokens may be rejected. */
  readonly #history: Pointer | null
  /** In front of what draws: the bias, and a copy of the history. */
  #front: readonly Pointer[] = []

  constructor({ library, vocabularySize }: NativeModel, config: NativeSamplerConfig) {
    this.#library = library
    this.#vocabularySize = vocabularySize
    this.#chain = library.functions.llama_sampler_chain_init({ no_perf: true })
    this.#drawing = this.#createDrawing(config)
    this.#history = this.#createHistory(config.penalties)
    this.restore({ tokens: new Uint32Array(), values: new Float32Array() })
  }

  /** Draws from the logits at a place of the context's last batch; `run` calls on the thread that computed it. */
  draw(context: Pointer, index: number, run: typeof runApart): Promise<number> {
    return run(this.#library.functions.llama_sampler_sample, this.#chain, context, index)
  }

  /** Notes the token that came. */
  note(token: number): void {
    if (this.#history !== null) this.#library.functions.llama_sampler_accept(this.#history, token)
  }

  /** From now on adds this to the logits, and forgets what was drawn and not noted. */
  restore({ tokens, values }: LogitBias): void {
    const { llama_sampler_chain_add, llama_sampler_chain_remove, llama_sampler_clone, llama_sampler_free } = this.#library.functions
    while (llama_sampler_chain_remove(this.#chain, 0) !== null);
    for (const sampler of this.#front) llama_sampler_free(sampler)
    this.#front = [
      ...(tokens.length === 0 ? [] : [this.#createBias({ tokens, values })]),
      ...(this.#history === null ? [] : [llama_sampler_clone(this.#history)]),
    ]
    for (const sampler of [...this.#front, ...this.#drawing]) llama_sampler_chain_add(this.#chain, sampler)
  }

  /** Also frees what is in the chain. */
  [Symbol.dispose](): void {
    const { llama_sampler_free } = this.#library.functions
    llama_sampler_free(this.#chain)
    if (this.#history !== null) llama_sampler_free(this.#history)
  }

  #createDrawing({ temperature, topK = 0, topP = 1, minP = 0, seed = 0 }: NativeSamplerConfig): readonly Pointer[] {
    const { functions } = this.#library
    if (temperature === undefined) return [functions.llama_sampler_init_greedy()]
    return [
      ...(topK > 0 ? [functions.llama_sampler_init_top_k(Math.min(topK, this.#vocabularySize))] : []),
      ...(topP < 1 ? [functions.llama_sampler_init_top_p(topP, 1)] : []),
      ...(minP > 0 ? [functions.llama_sampler_init_min_p(minP, 1)] : []),
      functions.llama_sampler_init_temp(temperature),
      functions.llama_sampler_init_dist(seed),
    ]
  }

  #createHistory(penalties: Penalties | undefined): Pointer | null {
    if (penalties === undefined) return null
    const { llama_sampler_init_penalties, llama_sampler_accept } = this.#library.functions
    const { last, repetition, frequency, presence, before } = penalties
    const history = llama_sampler_init_penalties(this.#vocabularySize, last, repetition, frequency, presence)
    for (const token of before) llama_sampler_accept(history, token)
    return history
  }

  #createBias({ tokens, values }: LogitBias): Pointer {
    const pairs = new ArrayBuffer(tokens.length * 8)
    const [ids, biases] = [new Int32Array(pairs), new Float32Array(pairs)]
    for (const [index, token] of tokens.entries()) {
      ids[2 * index] = token
      biases[2 * index + 1] = values[index] ?? 0
    }
    return this.#library.functions.llama_sampler_init_logit_bias(this.#vocabularySize, tokens.length, ids)
  }
}
