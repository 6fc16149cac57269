import type { TextPart } from '../../core/text-generation.ts'

/** Turns what one server streams into parts; one for each stream. */
export interface StreamDecoder {
  /**
   * What the next data line says; a `finish` is the last that is read.
   *
   * @throws {ServiceError} `inference_failed` for what is no event of the server's interface or reports an error, `server_is_overloaded` when it says that it is.
   */
  decode(line: string): readonly TextPart[]

  /**
   * What it means that no more lines come.
   *
   * @throws {ServiceError} `inference_failed` when the stream ended early or brought no token counts.
   */
  end(): readonly TextPart[]
}
