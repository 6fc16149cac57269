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
import type { Abortable } from '../waiting.ts'

/** Runtime statistics of a language model. */
export interface TextFigures {
  /** Share of the KV cache used by running requests, 0 to 1; idle conversations do not count. */
  readonly cacheUse: number
  /** Number of speculative decoding rounds since loading. */
  readonly guesses: number
  /** Number of drafted tokens. */
  readonly guessedTokens: number
  /** Number of accepted tokens among them. */
  readonly rightTokens: number
}

/** What only some models or runtimes can do. */
type Ability<Request, Result, Options = Abortable> = (request: Request, options: Options) => Promise<Result>

interface OfAccount extends Abortable {
  readonly account: string
}

/** A loaded language model. */
export interface TextModel {
  /** Its device; absent = unknown. */
  readonly device?: ComputeDevice | undefined
  /** Maximum tokens of prompt and answer together; absent = unknown. */
  readonly contextLength?: number | undefined
  /** Statistics; absent = not supported by the runtime. */
  figures?(): TextFigures | undefined

  /**
   * Generates until every choice has finished; the last part is exactly one `finish`.
   *
   * @param options.account Account of the prefix cache; state is never shared across accounts.
   * @throws {ServiceError} `context_length_exceeded` and `unsupported_parameter` before the first part, `inference_failed` when the engine
   * fails. Aborting ends the iteration with the signal's reason.
   */
  generate(
    request: TextRequest,
    options: {
      readonly signal: AbortSignal
      readonly account: string
      /** The request's adapters, if already looked up. */
      readonly adapters?: readonly AssetDescriptor[]
    },
  ): AsyncIterable<TextPart>

  /**
   * Number of prompt tokens of a request; absent = not supported by the runtime.
   *
   * @throws {ServiceError} `context_length_exceeded`, and other refusals of `generate` about the prompt.
   */
  readonly countPrompt?: Ability<TextRequest, number, OfAccount> | undefined

  /** @throws {ServiceError} `unsupported_parameter` if the model has no embeddings, `context_length_exceeded`. */
  embed(request: EmbeddingRequest, options: Abortable): Promise<EmbeddingResult>

  /**
   * Scores documents against a query; absent = not supported by the model.
   *
   * @throws {ServiceError} `context_length_exceeded` if a pair exceeds the context.
   */
  readonly rank?: Ability<RankRequest, RankResult> | undefined

  /**
   * Tokenizes a text or a conversation's prompt; absent = not supported by the runtime.
   *
   * @throws {ServiceError} `context_length_exceeded` if the tokens exceed the context many times over.
   */
  readonly tokenize?: Ability<TokenizeRequest, TokenizeResult, OfAccount> | undefined

  /**
   * Converts tokens to text; absent = not supported by the runtime.
   *
   * @throws {ServiceError} `invalid_request_error` for an unknown token.
   */
  readonly detokenize?: Ability<DetokenizeRequest, DetokenizeResult> | undefined
}
