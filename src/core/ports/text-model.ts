import type { AssetDescriptor } from '../assets/asset.ts'
import type { ComputeDevice } from '../compute-device.ts'
import type {
  DetokenizeRequest,
  DetokenizeResult,
  EmbeddingRequest,
  EmbeddingResult,
  RankRequest,
  RankResult,
  TextPart,
  TextRequest,
  TokenizeRequest,
  TokenizeResult,
} from '../text-generation.ts'

/** What the runtime of a language model tells of its cache and its guesses. */
export interface TextFigures {
  /** Share of the KV cache that running requests fill, 0 to 1; conversations kept warm beside them do not count. */
  readonly cacheUse: number
  /** How often tokens were guessed since the model was loaded (speculative decoding). */
  readonly guesses: number
  /** The tokens that were guessed. */
  readonly guessedTokens: number
  /** Those of them that were right. */
  readonly rightTokens: number
}

/** A loaded language model. */
export interface TextModel {
  /** What it computes on; absent where the runtime cannot tell. */
  readonly device?: ComputeDevice | undefined
  /** Tokens of prompt and answer together that it takes; absent where the runtime cannot tell. */
  readonly contextLength?: number | undefined
  /** How full its cache is and how its guesses fared; absent where the runtime cannot tell. */
  figures?(): TextFigures | undefined

  /**
   * Generates until every choice has finished; the last part is exactly one `finish`.
   *
   * @param options.account Whose prefix cache may be used; state is never shared across accounts.
   * @throws {ServiceError} `context_length_exceeded` and `unsupported_parameter` before the first part,
   *   `inference_failed` when the engine breaks. Aborting ends the iteration with the signal's reason.
   */
  generate(
    request: TextRequest,
    options: {
      readonly signal: AbortSignal
      readonly account: string
      /** The adapters that the request names, where they were looked up already. */
      readonly adapters?: readonly AssetDescriptor[]
    },
  ): AsyncIterable<TextPart>

  /**
   * Tokens that the prompt of a request has; absent where the runtime cannot tell before it runs.
   *
   * @throws {ServiceError} `context_length_exceeded` and what else `generate` refuses of a prompt.
   */
  countPrompt?(request: TextRequest, options: { readonly signal: AbortSignal; readonly account: string }): Promise<number>

  /** @throws {ServiceError} `unsupported_parameter` when the model makes no embeddings, `context_length_exceeded`. */
  embed(request: EmbeddingRequest, options: { readonly signal: AbortSignal }): Promise<EmbeddingResult>

  /**
   * Scores documents against a query; absent where the model does not.
   *
   * @throws {ServiceError} `context_length_exceeded` when a pair of both is longer than the model takes.
   */
  rank?(request: RankRequest, options: { readonly signal: AbortSignal }): Promise<RankResult>

  /**
   * The tokens of a text, or of the prompt that a conversation becomes; absent where the runtime cannot tell.
   *
   * @throws {ServiceError} `context_length_exceeded` when they are many times more than the model takes.
   */
  tokenize?(request: TokenizeRequest, options: { readonly signal: AbortSignal; readonly account: string }): Promise<TokenizeResult>

  /**
   * The text that tokens spell; absent where the runtime cannot tell.
   *
   * @throws {ServiceError} `invalid_request_error` when the model has no such token.
   */
  detokenize?(request: DetokenizeRequest, options: { readonly signal: AbortSignal }): Promise<DetokenizeResult>
}
