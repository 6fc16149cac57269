/** Where a model is copied from. */
export interface ModelSource {
  /** The text of `model.json`. */
  readModelFile(options: { readonly signal: AbortSignal }): Promise<string>
  /** What one should know before it is fetched; absent where the source tells nothing. */
  describe?(options: { readonly signal: AbortSignal }): Promise<readonly string[]>
  /** A file's bytes from an offset on, or from its beginning where the source cannot skip: `offset` says which. */
  openFile(
    path: string,
    offset: number,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly offset: number; readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array> }>
}
