const signatureBytes = 8
/** Maximum number of chunks to read; large pictures have a few thousand. */
const mostChunks = 10_000
const latin1 = new TextDecoder('latin1')

/** The text under a keyword in a PNG's `tEXt` or uncompressed `iTXt` chunks. @see PNG specification, 11.3.3 */
export function readPngText(png: Uint8Array, keyword: string): string | null {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
  for (let at = signatureBytes, seen = 0; at + 8 <= png.length && seen < mostChunks; seen++) {
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
