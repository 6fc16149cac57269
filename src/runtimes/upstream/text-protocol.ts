import type { EmbeddingRequest, EmbeddingResult, RankRequest, RankResult, TextPart, TextRequest } from '../../core/text-generation.ts'
import type { UpstreamConnection } from './upstream-connection.ts'

/** Called when a server does not count its tokens. */
export interface CountWatch {
  /** Called at the end of an answer whose tokens had to be estimated; absent = nobody is. */
  readonly onUncounted?: () => void
}

/** How one kind of server is asked for text. */
export interface TextProtocol {
  /**
   * The parts of an answer, and no more tokens than were asked for.
   *
   * @throws {ServiceError} `unsupported_parameter` before anything is sent, for what the server has no words for.
   */
  generate(connection: UpstreamConnection, request: TextRequest, options: { readonly signal: AbortSignal }): AsyncIterable<TextPart>
  /** @throws {ServiceError} `unsupported_parameter` where such servers make no embeddings. */
  embed(connection: UpstreamConnection, request: EmbeddingRequest, options: { readonly signal: AbortSignal }): Promise<EmbeddingResult>
  /** Absent where such servers score nothing. */
  rank?(connection: UpstreamConnection, request: RankRequest, options: { readonly signal: AbortSignal }): Promise<RankResult>
  /** The headers that every request carries; absent = OpenAI's, with the key. */
  readonly headersFor?: (key: string | null) => Readonly<Record<string, string>>
}
