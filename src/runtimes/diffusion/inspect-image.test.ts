import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { inspectImage } from './inspect-image.ts'

const options = { signal: new AbortController().signal }
const picture = sharp({ create: { width: 12, height: 34, channels: 3, background: '#abcdef' } })

for (const format of ['png', 'jpeg', 'webp'] as const) {
  test(`a ${format} file is described by its header`, async () => {
    const bytes = await picture.clone().toFormat(format).toBuffer()
    assert.deepEqual(await inspectImage(bytes, options), { format, width: 12, height: 34 })
  })
}

test('other formats and no image at all are refused before anything reads them', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const gif = await picture.clone().gif().toBuffer()
  for (const bytes of [svg, gif, Buffer.from('hello'), Buffer.alloc(0)])
    await assert.rejects(inspectImage(bytes, options), { code: 'validation_error', message: /send a PNG, JPEG or WebP/ })
})

test('a picture that would be huge is refused by its header alone', async () => {
  const small = await picture.clone().png().toBuffer()
  const header = Buffer.from(small)
  header.writeUInt32BE(100_000, 16)
  header.writeUInt32BE(100_000, 20)
  // The header's checksum no longer fits; either fault is a refusal, and nothing of that size was ever allocated.
  await assert.rejects(inspectImage(header, options), { code: 'validation_error' })
  const wide = await sharp({ create: { width: 16_000, height: 1100, channels: 3, background: '#000000' } })
    .png()
    .toBuffer()
  await assert.rejects(inspectImage(wide, options), { code: 'validation_error', message: /16000 × 1100/ })
})
