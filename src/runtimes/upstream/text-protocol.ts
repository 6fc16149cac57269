import type { EmbeddingRequest, EmbeddingResult, RankRequest, RankResult, TextPart, TextRequest } from '../../core/text-generation.ts'
import type { Abortable } from '../../core/waiting.ts'
import type { UpstreamConnection } from './upstream-connection.ts'

/** Hooks for servers that report no token counts. */
export interface CountWatch {
  /** Called at the end of an answer whose tokens were estimated. */
  readonly onUncounted?: () => void
}

/** The text API of one kind of server. */
export interface TextProtocol {
  /**
   * Yields the parts of an answer, with at most the requested number of tokens.
   *
   * @throws {ServiceError} `unsupported_parameter` before anything is sent, for a field that the server does not have.
   */
  generate(connection: UpstreamConnection, request: TextRequest, options: Abortable): AsyncIterable<TextPart>
  /** @throws {ServiceError} `unsupported_parameter` if such servers have no embeddings. */
  embed(connection: UpstreamConnection, request: EmbeddingRequest, options: Abortable): Promise<EmbeddingResult>
  /** Absent = such servers have no reranking. */
  rank?(connection: UpstreamConnection, request: RankRequest, options: Abortable): Promise<RankResult>
  /** Headers of every request; absent = OpenAI's, with the key. */
  readonly headersFor?: (key: string | null) => Readonly<Record<string, string>>
}
