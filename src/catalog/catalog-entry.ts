import type { ModelDescriptor } from '../core/model.ts'

/** A model that was found in a folder. */
export interface CatalogEntry {
  /** Place of that folder in the list of folders. */
  readonly source: number
  /** Absolute path. */
  readonly modelFile: string
  readonly descriptor: ModelDescriptor
}
