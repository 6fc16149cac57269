import { readUserComment } from './exif-comment.ts'
import { findExif } from './find-exif.ts'
import { readPngText } from './png-text.ts'

/** The `parameters` text in an image file: a text chunk of a PNG, or the EXIF user comment of a JPEG or WebP; null = none. */
export function readEmbeddedText(bytes: Uint8Array): string | null {
  if (bytes[0] === 0x89) return readPngText(bytes, 'parameters')
  const exif = findExif(bytes)
  return exif === null ? null : readUserComment(exif)
}
