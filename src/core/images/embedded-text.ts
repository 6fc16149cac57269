/** The `parameters` text in an image file: a text chunk of a PNG, or the EXIF user comment of a JPEG or WebP; null = none. */
export function readEmbeddedText(bytes: Uint8Array): string | null {
  if (bytes[0] === 0x89) return readPngText(bytes, 'parameters')
  const exif = findExif(bytes)
  return exif === null ? null : readUserComment(exif)
}

const signatureBytes = 8
/** Maximum number of chunks to read; large pictures have a few thousand. */
const maxChunks = 10_000
const latin1 = new TextDecoder('latin1')

/** The text under a keyword in a PNG's `tEXt` or uncompressed `iTXt` chunks. @see PNG specification, 11.3.3 */
function readPngText(png: Uint8Array, keyword: string): string | null {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  for (let at = signatureBytes, seen = 0; at + 8 <= png.length && seen < maxChunks; seen++) {
    const length = view.getUint32(at)
    const type = latin1.decode(png.subarray(at + 4, at + 8))
    const body = png.subarray(at + 8, at + 8 + length)
    const end = body.subarray(0, keyword.length + 1).indexOf(0)
    if (latin1.decode(body.subarray(0, Math.max(0, end))) === keyword) {
      if (type === 'tEXt') return latin1.decode(body.subarray(end + 1))
      if (type === 'iTXt' && body[end + 1] === 0) return internationalText(body, end + 3)
    }
    at += 12 + length
  }
  return null
}

/** The text of an `iTXt` chunk: two compression bytes, a language and a translated keyword, each ended by a zero, then UTF-8. */
function internationalText(body: Uint8Array, languageStart: number): string {
  const language = body.indexOf(0, languageStart)
  const translated = body.indexOf(0, language + 1)
  return new TextDecoder().decode(body.subarray(translated + 1))
}

const applicationSegment = 0xe1
const scanSegment = 0xda
const exifMark = 'Exif\0\0'

/** The TIFF structure with the EXIF data of a JPEG or WebP, or null. */
export function findExif(bytes: Uint8Array): Uint8Array | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return findInJpeg(bytes)
  return latin1.decode(bytes.subarray(8, 12)) === 'WEBP' ? findInWebp(bytes) : null
}

/** JPEG: segments of a marker, a length and a body, up to the scan. */
function findInJpeg(bytes: Uint8Array): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff && bytes[at + 1] !== scanSegment; ) {
    const length = view.getUint16(at + 2)
    const body = bytes.subarray(at + 4, at + 2 + length)
    if (bytes[at + 1] === applicationSegment && startsWithMark(body)) return body.subarray(exifMark.length)
    at += 2 + length
  }
  return null
}

/** WebP: RIFF chunks of a name, a length and a body padded to an even number of bytes. */
function findInWebp(bytes: Uint8Array): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 12; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at + 4, true)
    const body = bytes.subarray(at + 8, at + 8 + length)
    if (latin1.decode(bytes.subarray(at, at + 4)) === 'EXIF') return startsWithMark(body) ? body.subarray(exifMark.length) : body
    at += 8 + length + (length % 2)
  }
  return null
}

function startsWithMark(body: Uint8Array): boolean {
  return latin1.decode(body.subarray(0, exifMark.length)) === exifMark
}

const exifPointerTag = 0x8769
const userCommentTag = 0x9286
const entryBytes = 12
const encodingBytes = 8

/** The user comment in a TIFF structure, or null. @see EXIF 2.32, 4.6.5 */
function readUserComment(tiff: Uint8Array): string | null {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  if (view.byteLength < 8) return null
  const little = tiff[0] === 0x49
  const pointer = findEntry(view, view.getUint32(4, little), exifPointerTag, little)
  const comment = pointer === null ? null : findEntry(view, view.getUint32(pointer + 8, little), userCommentTag, little)
  if (comment === null) return null
  const start = view.getUint32(comment + 8, little)
  const body = tiff.subarray(start, start + view.getUint32(comment + 4, little))
  const encoding = new TextDecoder('latin1').decode(body.subarray(0, encodingBytes)).replace(/\0+$/, '')
  const text = body.subarray(encodingBytes)
  if (encoding !== 'UNICODE') return new TextDecoder().decode(text)
  return new TextDecoder(little ? 'utf-16le' : 'utf-16be').decode(text)
}

/** Offset of the entry of a tag in a directory, or null. */
function findEntry(view: DataView, directory: number, tag: number, little: boolean): number | null {
  if (directory + 2 > view.byteLength) return null
  const count = view.getUint16(directory, little)
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * entryBytes
    if (at + entryBytes <= view.byteLength && view.getUint16(at, little) === tag) return at
  }
  return null
}
