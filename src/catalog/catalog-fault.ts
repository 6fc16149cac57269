import type { ModelDescriptor } from '../core/model.ts'

/** A fault of a model folder and its fix. */
export interface CatalogFault {
  /** Absolute path of the faulty file or folder. */
  readonly file: string
  /** The faulty field of `model.json` as a dotted path; `''` for the whole file. */
  readonly field: string
  /** One sentence that names the fix. */
  readonly message: string
}

/** A fault of a whole file or folder. */
export function fileFault(file: string, message: string): CatalogFault {
  return { file, field: '', message }
}

/** Thrown at start with all faults of all model folders. */
export class CatalogError extends Error {
  readonly faults: readonly CatalogFault[]

  constructor(faults: readonly CatalogFault[]) {
    super(['The model folders have faults:', ...faults.map(formatFault)].join('\n'))
    this.name = 'CatalogError'
    this.faults = faults
  }
}

/** Formats a fault on one line. */
export function formatFault({ file, field, message }: CatalogFault): string {
  return field === '' ? `${file}: ${message}` : `${file}: ${field}: ${message}`
}

/** A model found in a folder. */
export interface CatalogEntry {
  /** Index of that folder in the list of folders. */
  readonly source: number
  /** Absolute path. */
  readonly modelFile: string
  readonly descriptor: ModelDescriptor
}

/** A download was interrupted; the next attempt resumes it. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}
