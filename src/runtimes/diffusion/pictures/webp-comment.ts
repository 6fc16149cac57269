import { exifComment } from './exif-comment.ts'
import type { PixelSize } from './rgb-image.ts'

const riffHeaderLength = 12
const exifFlag = 0x08

/**
 * Adds a user comment to a simple WebP file (one lossy or lossless frame), which becomes an extended one.
 *
 * @see RFC 9649, section 2.7
 */
export function addWebpComment(webp: Uint8Array, { width, height }: PixelSize, text: string): Uint8Array {
  const extended = Buffer.alloc(10)
  extended[0] = exifFlag
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const body = Buffer.concat([chunk('VP8X', extended), webp.subarray(riffHeaderLength), chunk('EXIF', exifComment(text))])
  const header = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  header.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([header, body])
}

function chunk(name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.length)
  // Chunks begin at even places.
  return Buffer.concat([Buffer.from(name, 'latin1'), length, content, Buffer.alloc(content.length % 2)])
}
