import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeTiled, encodeTiled, tileSpans } from './tiled-vae.ts'

const factor = 8

/** A decoder whose pixels are its latents, eight times as large. */
const enlarging = {
  decode: async (latents: Float32Array, size: { width: number; height: number; channels: number }) => {
    const width = size.width * factor
    const height = size.height * factor
    const values = Float32Array.from({ length: 3 * width * height }, (_, i) => {
      const channel = Math.floor(i / (width * height))
      const y = Math.floor((i % (width * height)) / width / factor)
      return latents[(channel * size.height + y) * size.width + Math.floor((i % width) / factor)] ?? Number.NaN
    })
    return { values, width, height }
  },
}

/** An encoder that keeps every eighth pixel of the first colour, twice. */
const shrinking = {
  encode: async (picture: { values: Float32Array; width: number; height: number }) => {
    const width = picture.width / factor
    const height = picture.height / factor
    const values = Float32Array.from({ length: 2 * width * height }, (_, i) => {
      const y = Math.floor((i % (width * height)) / width)
      return picture.values[y * factor * picture.width + (i % width) * factor] ?? Number.NaN
    })
    return { values, channels: 2 }
  },
}

test('spans cover the whole length and overlap enough', () => {
  for (const length of [5, 8, 9, 13, 16, 17, 100]) {
    const spans = tileSpans(length, 8, 2)
    assert.equal(spans[0]?.start, 0)
    assert.equal((spans.at(-1)?.start ?? 0) + (spans.at(-1)?.length ?? 0), length)
    for (const [i, span] of spans.entries()) {
      const before = spans[i - 1]
      if (before !== undefined) assert.ok(before.start + before.length - span.start >= 2, `${length}: ${JSON.stringify(spans)}`)
    }
  }
})

for (const channels of [4, 16, 32])
  test(`tiles of ${channels} channels equal the whole, if every pixel only depends on its position`, async () => {
    const size = { channels, width: 21, height: 13 }
    const latents = Float32Array.from({ length: channels * 21 * 13 }, (_, i) => Math.sin(i))
    const whole = await enlarging.decode(latents, size)
    const tiled = await decodeTiled(enlarging, latents, size, { factor, tiling: { tile: 8, overlap: 2 } })
    assert.deepEqual([tiled.width, tiled.height], [whole.width, whole.height])
    for (const [i, value] of whole.values.entries()) assert.ok(Math.abs(value - (tiled.values[i] ?? Number.NaN)) < 1e-6)

    const encoded = await encodeTiled(shrinking, whole, { factor, tiling: { tile: 8, overlap: 2 } })
    const expected = await shrinking.encode(whole)
    assert.equal(encoded.channels, 2)
    for (const [i, value] of expected.values.entries()) assert.ok(Math.abs(value - (encoded.values[i] ?? Number.NaN)) < 1e-6)
  })
