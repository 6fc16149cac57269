import type { StoredImages } from '../../core/inference.ts'
import type { OutputContent } from '../../core/ports/output-store.ts'

/** A result as its caller will fetch it. */
export interface EncodedOutput extends OutputContent {
  /** Where its pictures lie; asked once the chunks have been stored. */
  readonly images?: () => StoredImages
}
