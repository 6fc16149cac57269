import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { makeImageRequest } from '../../../../test/support/image-request.ts'
import type { GeneratedImage } from '../../../core/image-generation.ts'
import { ImageChunks } from './image-chunks.ts'
import { encodeImageResult } from './image-result.ts'

const request = makeImageRequest('', { model: 'a "model" – ünïcode', width: 8, height: 8 })

function picture(seed: number, length: number, removedForSafety = false): GeneratedImage {
  const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + seed) % 251)
  return { bytes, encoding: 'png', width: 8, height: 8, seed, removedForSafety, safetyScore: null }
}

const results = {
  'one picture': [picture(1, 10)],
  'pictures of every padding, some over several chunks': [
    picture(1, 2_000_000),
    picture(2, 2_000_001),
    picture(3, 2_000_002),
    picture(4, 0),
  ],
  'a removed one between others': [picture(1, 7), picture(2, 9, true), picture(3, 8)],
  'nothing but removed ones': [picture(2, 9, true), picture(3, 9, true)],
}

for (const [name, images] of Object.entries(results))
  test(`the chunks of ${name} join to the JSON of the answer, with the position of each picture`, () => {
    const result = { images, computeMs: 12.5 }
    const chunks = new ImageChunks({ kind: 'image', request }, result)
    for (let round = 0; round < 2; round++) {
      const whole = Buffer.concat([...chunks])
      assert.equal(whole.toString(), JSON.stringify(encodeImageResult(request, result)))
      assert.equal(whole.length, chunks.bytes)
      const { computeMs, pictures } = chunks.images()
      assert.equal(computeMs, 12.5)
      for (const [index, { bytes, seed, removedForSafety }] of images.entries()) {
        const { offset = 0, length = 0, sha256, ...rest } = pictures[index] ?? {}
        assert.deepEqual(rest, { seed, removedForSafety })
        if (removedForSafety) continue
        assert.ok(Buffer.from(whole.toString('latin1', offset, offset + length), 'base64').equals(bytes))
        assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'))
      }
    }
    for (const chunk of chunks) assert.ok(chunk.length <= 1024 * 1024)
  })
