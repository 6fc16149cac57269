import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idle, loadTinyModel, tinyRequest } from '../../../../test/support/model-files/tiny-image-model.ts'
import { VaeDecoder } from './vae-decoder.ts'

test('a failure to measure the colours of previews ends with its request', async (t) => {
  await using model = await loadTinyModel()
  const outOfMemory = new Error('out of memory')
  const previews: Uint8Array[] = []
  const draw = () =>
    model.generate(
      { ...tinyRequest, steps: 1, previews: true },
      { ...idle, onProgress: ({ preview }) => void (preview && previews.push(preview)) },
    )
  t.mock.method(VaeDecoder.prototype, 'decode', () => Promise.reject(outOfMemory), { times: 1 })
  await assert.rejects(draw(), outOfMemory)
  await draw()
  assert.equal(previews.length, 1)
})
