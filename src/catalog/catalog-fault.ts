import type { ModelDescriptor } from '../core/model.ts'

/** One thing wrong with one model folder, and what to change. */
export interface CatalogFault {
  /** Absolute path of the file or folder at fault. */
  readonly file: string
  /** The field of `model.json` at fault, as a dotted path; `''` when the file as a whole is. */
  readonly field: string
  /** One sentence that says what to change. */
  readonly message: string
}

/** Thrown at start with every fault of every model folder. */
export class CatalogError extends Error {
  readonly faults: readonly CatalogFault[]

  constructor(faults: readonly CatalogFault[]) {
    super(['The model folders have faults:', ...faults.map(formatFault)].join('\n'))
    this.name = 'CatalogError'
    this.faults = faults
  }
}

/** A fault as one line of text. */
export function formatFault({ file, field, message }: CatalogFault): string {
  return field === '' ? `${file}: ${message}` : `${file}: ${field}: ${message}`
}

/** A model that was found in a folder. */
export interface CatalogEntry {
  /** Place of that folder in the list of folders. */
  readonly source: number
  /** Absolute path. */
  readonly modelFile: string
  readonly descriptor: ModelDescriptor
}

/** A download ended before its time; the next try goes on from there. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}
