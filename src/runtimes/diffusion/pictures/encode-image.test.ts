import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { encodeImage } from './encode-image.ts'

const image = { data: Uint8Array.from({ length: 20 * 10 * 3 }, (_, i) => i % 251), width: 20, height: 10 }
const texts = ['a cat\nNegative prompt: dog\nSteps: 4, Seed: 1', 'ein Kätzchen', '一只猫 🐈']

/** The text of a PNG's text chunks by keyword. */
function readPngText(png: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const bytes = Buffer.from(png)
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const body = bytes.subarray(at + 8, at + 8 + length)
    const end = body.indexOf(0)
    const keyword = body.toString('latin1', 0, end)
    if (type === 'tEXt') found.set(keyword, body.toString('latin1', end + 1))
    if (type === 'iTXt') found.set(keyword, body.toString('utf8', end + 5))
    at += length + 12
  }
  return found
}

/** The user comment of an EXIF block, found by its tag. */
function readUserComment(exif: Buffer): string {
  const tiff = exif.subarray(exif.toString('latin1', 0, 4) === 'Exif' ? 6 : 0)
  assert.equal(tiff.toString('latin1', 0, 2), 'MM')
  const entry = tiff.indexOf(Buffer.from([0x92, 0x86, 0, 7]))
  const length = tiff.readUInt32BE(entry + 4)
  const offset = tiff.readUInt32BE(entry + 8)
  const comment = tiff.subarray(offset, offset + length)
  assert.equal(comment.toString('latin1', 0, 8), 'UNICODE\0')
  return Buffer.from(comment.subarray(8)).swap16().toString('utf16le')
}

for (const text of texts) {
  test(`every format stores ${JSON.stringify(text)}`, async () => {
    const png = await encodeImage(image, { encoding: 'png', parameters: text })
    assert.equal(readPngText(png).get('parameters'), text)
    assert.deepEqual(Uint8Array.from(await sharp(png).raw().toBuffer()), image.data)
    for (const encoding of ['jpeg', 'webp'] as const) {
      const bytes = await encodeImage(image, { encoding, parameters: text })
      const { format, width, height, exif } = await sharp(bytes).metadata()
      assert.deepEqual([format, width, height], [encoding, 20, 10])
      assert.ok(exif)
      assert.equal(readUserComment(exif), text)
      assert.equal((await sharp(bytes).raw().toBuffer()).length, 600)
    }
  })
}

test('a comment too long for a JPEG segment is truncated and stays valid', async () => {
  const bytes = await encodeImage(image, { encoding: 'jpeg', parameters: 'long '.repeat(20_000) })
  const { exif } = await sharp(bytes).metadata()
  assert.ok(exif)
  assert.match(readUserComment(exif), /^long long .*…$/)
})

test('lower quality makes a smaller JPEG or WebP', async () => {
  for (const encoding of ['jpeg', 'webp'] as const) {
    const size = async (quality?: number) => (await encodeImage(image, { encoding, quality, parameters: '' })).length
    assert.ok((await size(10)) < (await size()))
    assert.equal(await size(95), await size())
  }
})
