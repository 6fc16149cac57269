const pngSignature = [0x89, 0x50, 0x4e, 0x47]
const userCommentTag = 0x9286
const exifPointerTag = 0x8769

/** The `parameters` text inside an image file: a PNG text chunk, or the EXIF user comment of a JPEG or WebP; null when there is none. */
export function readEmbeddedText(bytes: Uint8Array): string | null {
  if (pngSignature.every((byte, index) => bytes[index] === byte)) return pngText(bytes)
  const exif = findTiff(bytes)
  return exif === null ? null : userComment(bytes.subarray(exif))
}

function pngText(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 8; at + 8 <= bytes.length; ) {
    const length = view.getUint32(at)
    const type = latin(bytes.subarray(at + 4, at + 8))
    const body = bytes.subarray(at + 8, at + 8 + length)
    if ((type === 'tEXt' || type === 'iTXt') && latin(body.subarray(0, 11)) === 'parameters\0') {
      return type === 'tEXt' ? latin(body.subarray(11)) : internationalText(body)
    }
    at += 12 + length
  }
  return null
}

/** iTXt: keyword, two compression bytes, language and translated keyword, each ended by a zero, then UTF-8. */
function internationalText(body: Uint8Array): string | null {
  if (body[11] !== 0) return null
  const language = body.indexOf(0, 13)
  const translated = body.indexOf(0, language + 1)
  return new TextDecoder().decode(body.subarray(translated + 1))
}

/** Where the TIFF header of the EXIF block begins; JPEG keeps `Exif\0\0` before it, WebP may. */
function findTiff(bytes: Uint8Array): number | null {
  for (let at = 0; at + 8 < bytes.length && at < 256 * 1024; at++) {
    const mark = latin(bytes.subarray(at, at + 4))
    if (mark === 'II*\0' || mark === 'MM\0*') return at
  }
  return latin(bytes.subarray(8, 12)) === 'WEBP' ? findTiffAtEnd(bytes) : null
}

function findTiffAtEnd(bytes: Uint8Array): number | null {
  for (let at = bytes.length - 8; at > 12; at--) {
    const mark = latin(bytes.subarray(at, at + 4))
    if (mark === 'II*\0' || mark === 'MM\0*') return at
  }
  return null
}

function userComment(tiff: Uint8Array): string | null {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength)
  const little = tiff[0] === 0x49
  const main = findEntry(view, view.getUint32(4, little), exifPointerTag, little)
  const exif = main === null ? null : findEntry(view, view.getUint32(main + 8, little), userCommentTag, little)
  if (exif === null) return null
  const start = view.getUint32(exif + 8, little)
  const body = tiff.subarray(start, start + view.getUint32(exif + 4, little))
  const encoding = latin(body.subarray(0, 8)).replace(/\0+$/, '')
  const text = body.subarray(8)
  if (encoding !== 'UNICODE') return new TextDecoder().decode(text).replace(/\0+$/, '')
  return new TextDecoder(little && text[0] !== 0 ? 'utf-16le' : 'utf-16be').decode(text)
}

function findEntry(view: DataView, directory: number, tag: number, little: boolean): number | null {
  if (directory + 2 > view.byteLength) return null
  const count = view.getUint16(directory, little)
  for (let index = 0; index < count; index++) {
    const at = directory + 2 + index * 12
    if (at + 12 <= view.byteLength && view.getUint16(at, little) === tag) return at
  }
  return null
}

function latin(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
