import { crc32, deflateSync } from 'node:zlib'

/**
 * Encodes a picture of one colour as a real PNG of one bit a pixel, about 200 bytes for 1024 × 1024.
 *
 * @param color 24-bit RGB.
 * @see W3C Portable Network Graphics (PNG) Specification, third edition, section 11
 */
export function encodeSolidPng(width: number, height: number, color: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  header[9] = 3
  const palette = Buffer.alloc(3)
  palette.writeUIntBE(color & 0xffffff, 0, 3)
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk('IHDR', header), chunk('PLTE', palette), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'ascii'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  body.copy(framed, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
