import type { Abortable } from '../core/waiting.ts'

/** A source from which a model can be copied. */
export interface ModelSource {
  /** Reads the text of `model.json`. */
  readModelFile(options: Abortable): Promise<string>
  /** Notes to show before downloading; absent = none. */
  describe?(options: Abortable): Promise<readonly string[]>
  /** A version of the files, if `model.json` does not identify it; a download is only resumed with the same version. */
  version?(options: Abortable): Promise<string>
  /** Checks the downloaded files beyond `model.json`; returns the fault, null = none. */
  examine?(folder: string): Promise<string | null>
  /** Whether large files download faster over several connections; absent = no. */
  readonly spreads?: boolean
  /** Opens a file at an offset, or at its start if the source does not support ranges; `offset` is the actual one. */
  openFile(
    path: string,
    offset: number,
    options: Abortable,
  ): Promise<{ readonly offset: number; readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }>
}
