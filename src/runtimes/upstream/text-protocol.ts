import type { EmbeddingRequest, EmbeddingResult, RankRequest, RankResult, TextRequest } from '../../core/text-generation.ts'
import type { StreamQuestion } from './stream-answer.ts'
import type { UpstreamConnection } from './upstream-connection.ts'

/** How one kind of server is asked for text. */
export interface TextProtocol {
  /**
   * What the server is asked for a text.
   *
   * @throws {ServiceError} `unsupported_parameter` for what it has no words for.
   */
  question(request: TextRequest): StreamQuestion
  /** @throws {ServiceError} `unsupported_parameter` where such servers make no embeddings. */
  embed(connection: UpstreamConnection, request: EmbeddingRequest, options: { readonly signal: AbortSignal }): Promise<EmbeddingResult>
  /** Absent where such servers score nothing. */
  rank?(connection: UpstreamConnection, request: RankRequest, options: { readonly signal: AbortSignal }): Promise<RankResult>
  /** The headers that every request carries; absent = OpenAI's, with the key. */
  readonly headersFor?: (key: string | null) => Readonly<Record<string, string>>
}
