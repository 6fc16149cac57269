import { createFolderSource } from './folder-source.ts'
import { createWebSource } from './web-source.ts'

/** Where a model is copied from. */
export interface ModelSource {
  /** The text of `model.json`. */
  readModelFile(options: { readonly signal: AbortSignal }): Promise<string>
  /** A file's bytes from an offset on, or from its beginning where the source cannot skip: `offset` says which. */
  openFile(
    path: string,
    offset: number,
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly offset: number; readonly bytes: AsyncIterable<Uint8Array> }>
}

/** The model at an http(s) address or in a folder; either may name the folder or the `model.json` in it. */
export function openModelSource(source: string): ModelSource {
  const place = source.replace(/\/?model\.json$/, '')
  return /^https?:\/\//.test(source) ? createWebSource(place) : createFolderSource(place === '' ? '.' : place)
}
