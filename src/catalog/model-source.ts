/** Where a model is copied from. */
export interface ModelSource {
  /** The text of `model.json`. */
  readModelFile(options: { readonly signal: AbortSignal }): Promise<string>
  /** What one should know before it is fetched; absent where the source tells nothing. */
  describe?(options: { readonly signal: AbortSignal }): Promise<readonly string[]>
  /** What tells versions of its files apart where `model.json` does not: a broken try goes on only with the same. */
  version?(options: { readonly signal: AbortSignal }): Promise<string>
  /** What is wrong with the files that arrived, beyond what `model.json` tells; null = nothing. */
  examine?(folder: string): Promise<string | null>
  /** Whether a large file comes faster over several connections; absent = it does not. */
  readonly spreads?: boolean
  /** A file's bytes from an offset on, or from its beginning where the source cannot skip: `offset` says which. */
  openFile(
    path: string,
    offset: number,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly offset: number; readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }>
}
