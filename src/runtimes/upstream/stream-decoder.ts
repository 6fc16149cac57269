import type { TextPart } from '../../core/text-generation.ts'
import type { CountedTokens } from './token-count.ts'

/** A part as a server tells it; its `finish` may lack counts. */
export type DecodedPart =
  | Exclude<TextPart, { readonly type: 'finish' }>
  | { readonly type: 'finish'; readonly usage: CountedTokens | undefined }

/** Turns what one server streams into parts; one for each stream. */
export interface StreamDecoder {
  /**
   * What the next data line says; a `finish` is the last that is read.
   *
   * @throws {ServiceError} `inference_failed` for what is no event of the server's interface or reports an error, `server_is_overloaded` when it says that it is.
   */
  decode(line: string): readonly DecodedPart[]

  /**
   * What it means that no more lines come.
   *
   * @throws {ServiceError} `inference_failed` when the stream ended early.
   */
  end(): readonly DecodedPart[]
}
