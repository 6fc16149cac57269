import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findExif } from './embedded-text.ts'

suite('the parameters stored in an image file', () => {
  const bytes = (...parts: readonly (string | readonly number[])[]) =>
    Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)))
  const exif = 'Exif\0\0MM-tiff'
  const segment = (marker: number, body: string) => bytes([0xff, marker, 0, body.length + 2], body)
  const chunk = (name: string, body: string) => bytes(name, [body.length, 0, 0, 0], body, body.length % 2 === 0 ? [] : [0])
  const jpeg = (...segments: readonly Uint8Array[]) => bytes([0xff, 0xd8], ...segments.map((each) => [...each]), [0xff, 0xda, 0, 2, 1, 2])
  const webp = (...chunks: readonly Uint8Array[]) => bytes('RIFF', [0, 0, 0, 0], 'WEBP', ...chunks.map((each) => [...each]))
  const found = (file: Uint8Array<ArrayBuffer>) => {
    const tiff = findExif(file)
    return tiff === null ? null : Buffer.from(tiff).toString('latin1')
  }

  for (const [name, file, expected] of [
    ['a JPEG', jpeg(segment(0xe0, 'JFIF'), segment(0xe1, exif)), 'MM-tiff'],
    ['a JPEG with another segment of its kind before', jpeg(segment(0xe1, 'http://ns.adobe.com'), segment(0xe1, exif)), 'MM-tiff'],
    ['a JPEG without', jpeg(segment(0xe0, 'JFIF')), null],
    ['a JPEG with EXIF after the scan', bytes([...jpeg()], [...segment(0xe1, exif)]), null],
    ['a JPEG of segments without a length', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0xff, 0xe0, 0, 0]), null],
    ['a truncated JPEG', jpeg(segment(0xe1, exif)).slice(0, 5), null],
    ['a WebP', webp(chunk('VP8 ', 'x'), chunk('EXIF', 'MM-tiff')), 'MM-tiff'],
    ['a WebP that marks it like a JPEG', webp(chunk('EXIF', exif)), 'MM-tiff'],
    ['a WebP without', webp(chunk('VP8 ', 'xy')), null],
    ['a WebP of one endless chunk', webp(bytes('VP8 ', [0xff, 0xff, 0xff, 0xff])), null],
    ['a PNG', bytes([0x89], 'PNG\r\n\x1a\n'), null],
    ['nothing', bytes(), null],
  ] as const)
    test(`is found in ${name}: ${expected}`, () => assert.equal(found(file), expected))
})
