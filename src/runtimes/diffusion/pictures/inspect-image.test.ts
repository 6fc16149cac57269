import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { inspectImage } from './inspect-image.ts'

const options = { signal: new AbortController().signal }
const picture = sharp({ create: { width: 12, height: 34, channels: 3, background: '#abcdef' } })

for (const format of ['png', 'jpeg', 'webp'] as const) {
  test(`detects the format and size of a ${format} file`, async () => {
    const bytes = await picture.clone().toFormat(format).toBuffer()
    assert.deepEqual(await inspectImage(bytes, options), { format, width: 12, height: 34 })
  })
}

test('a thumbnail is WebP unless PNG is requested, at most as wide as the image, even for images too large to upload', async () => {
  const large = await sharp({ create: { width: 5000, height: 4000, channels: 3, background: '#123456' } })
    .png()
    .toBuffer()
  for (const [bytes, wanted, width, height] of [
    [large, 320, 320, 256],
    [await picture.clone().png().toBuffer(), 320, 12, 34],
  ] as const) {
    const { thumbnail = Buffer.alloc(0) } = await inspectImage(bytes, { ...options, thumbnailWidth: wanted })
    const header = await sharp(thumbnail).metadata()
    assert.deepEqual([header.format, header.width, header.height], ['webp', width, height])
  }
  const { thumbnail } = await inspectImage(large, { ...options, thumbnailWidth: 320, thumbnailFormat: 'png' })
  assert.equal((await sharp(thumbnail).metadata()).format, 'png')
  await assert.rejects(inspectImage(large.subarray(0, 3000), { ...options, thumbnailWidth: 320 }), { code: 'validation_error' })
})

test('other formats and files that are not images are rejected before they are decoded', async () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const tiff = await picture.clone().tiff().toBuffer()
  for (const bytes of [svg, tiff, Buffer.from('hello'), Buffer.alloc(0)])
    await assert.rejects(inspectImage(bytes, options), { code: 'validation_error', message: /send a PNG, JPEG, WebP, AVIF or GIF/ })
})

test('an image with huge dimensions is rejected from its header', async () => {
  const small = await picture.clone().png().toBuffer()
  const header = Buffer.from(small)
  header.writeUInt32BE(100_000, 16)
  header.writeUInt32BE(100_000, 20)
  // The header's checksum is now wrong; either fault rejects the image, and nothing of that size is allocated.
  await assert.rejects(inspectImage(header, options), { code: 'validation_error' })
  const wide = await sharp({ create: { width: 16_000, height: 1100, channels: 3, background: '#000000' } })
    .png()
    .toBuffer()
  await assert.rejects(inspectImage(wide, options), { code: 'validation_error', message: /16000 × 1100/ })
})

for (const format of ['png', 'jpeg', 'webp'] as const) {
  test(`a truncated ${format} file is rejected`, async () => {
    const grain = { type: 'gaussian', mean: 128, sigma: 30 } as const
    const whole = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#888888', noise: grain } })
      .toFormat(format)
      .toBuffer()
    await inspectImage(whole, options)
    for (const share of [0.5, 0.9, 0.99]) {
      const cut = whole.subarray(0, Math.floor(whole.length * share))
      await assert.rejects(inspectImage(cut, options), { code: 'validation_error' }, `${share}`)
    }
  })
}

test('a mask whose white disappears at the size of the drawing is rejected if white is required', async () => {
  const whiteAt = { width: 64, height: 64 }
  const dot = { input: { create: { width: 1, height: 1, channels: 3, background: '#ffffff' } }, left: 5, top: 5 } as const
  const black = sharp({ create: { width: 512, height: 512, channels: 3, background: '#000000' } })
  const [all, dotted, half] = await Promise.all([
    black.clone().png().toBuffer(),
    black.clone().composite([dot]).png().toBuffer(),
    black.clone().extend({ right: 512, background: '#ffffff' }).png().toBuffer(),
  ])
  await inspectImage(all, options)
  await inspectImage(half, { ...options, whiteAt })
  for (const bytes of [all, dotted])
    await assert.rejects(inspectImage(bytes, { ...options, whiteAt }), { code: 'validation_error', message: /no white/ })
})

test('the transparent parts of an image become the white of a mask', async () => {
  const whiteAt = { width: 64, height: 64 }
  const red = { r: 255, g: 0, b: 0 }
  const half = await sharp({ create: { width: 32, height: 64, channels: 4, background: { ...red, alpha: 1 } } })
    .extend({ right: 32, background: { ...red, alpha: 0 } })
    .png()
    .toBuffer()
  const { mask, ...description } = await inspectImage(half, { ...options, transparency: true, whiteAt })
  assert.deepEqual(description, { format: 'png', width: 64, height: 64 })
  assert.ok(mask !== undefined)
  const { data, info } = await sharp(mask).greyscale().raw().toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [64, 64])
  assert.deepEqual([data[31 * info.channels], data[32 * info.channels]], [0, 255])
  const opaque = await sharp(half).flatten().png().toBuffer()
  await assert.rejects(inspectImage(opaque, { ...options, transparency: true }), {
    code: 'validation_error',
    message: /no transparent parts/,
  })
  const whole = await sharp(opaque).ensureAlpha().png().toBuffer()
  await assert.rejects(inspectImage(whole, { ...options, transparency: true, whiteAt }), { code: 'validation_error' })
})
