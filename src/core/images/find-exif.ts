const latin1 = new TextDecoder('latin1')
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
