import { crc32 } from 'node:zlib'

/** Signature and header chunk, which always come first. */
const headerLength = 8 + 25

/**
 * Adds a text chunk to a PNG file: `tEXt` where Latin-1 is enough, else `iTXt`.
 *
 * @param keyword 1 to 79 Latin-1 characters.
 * @see PNG (Third Edition), sections 11.3.3.2 and 11.3.3.4
 */
export function addPngText(png: Uint8Array, keyword: string, text: string): Uint8Array {
  const latin = isLatin1(text)
  const body = latin
    ? Buffer.concat([Buffer.from(`${keyword}\0`, 'latin1'), Buffer.from(text, 'latin1')])
    : // No compression, no language, no translated keyword.
      Buffer.concat([Buffer.from(`${keyword}\0\0\0\0\0`, 'latin1'), Buffer.from(text, 'utf8')])
  const typed = Buffer.concat([Buffer.from(latin ? 'tEXt' : 'iTXt', 'latin1'), body])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(typed))
  return Buffer.concat([png.subarray(0, headerLength), length, typed, checksum, png.subarray(headerLength)])
}

function isLatin1(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0
    if (code > 0xff || code === 0) return false
  }
  return true
}
