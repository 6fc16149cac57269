import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEmbeddedText } from '../../src/core/images/embedded-text.ts'
import { encodeImage } from '../../src/runtimes/diffusion/pictures/encode-image.ts'

const image = { data: Uint8Array.from({ length: 16 * 8 * 3 }, (_, at) => at % 251), width: 16, height: 8 }

for (const encoding of ['png', 'jpeg', 'webp'] as const) {
  for (const parameters of ['a cat\nNegative prompt: dog\nSteps: 4, Seed: 1', 'ein Kätzchen', '一只猫 🐈', 'x'.repeat(20_000)]) {
    test(`the console reads the parameters of ${encoding}: ${parameters.slice(0, 20)}`, async () => {
      const file = await encodeImage(image, { encoding, parameters })
      assert.equal(readEmbeddedText(Uint8Array.from(file)), parameters)
    })
  }
}

test('a file without parameters and bytes that are not a picture return none', () => {
  assert.equal(readEmbeddedText(Uint8Array.of(0xff, 0xd8, 0xff, 0xda, 0, 0)), null)
  assert.equal(readEmbeddedText(Uint8Array.of(1, 2, 3)), null)
  assert.equal(readEmbeddedText(new Uint8Array()), null)
})
