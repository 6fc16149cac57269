import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { tinyFolder } from '../../../../test/support/model-files/tiny-image-model.ts'
import { loadDiffusionPipeline } from '../diffusion-pipeline.ts'
import { encodePrompts, type PromptsToEncode, type TextPath } from './encode-prompts.ts'

const controller = new AbortController()
const pipeline = await loadDiffusionPipeline(tinyFolder, { threads: 1, refiner: null, signal: controller.signal })
after(() => pipeline[Symbol.asyncDispose]())

const text = [{ text: 'a red apple '.repeat(200), weight: 1 }]
const prompts: PromptsToEncode = { positive: { first: text, second: text }, negative: 'zeros', clipSkip: 0, truncate: false }

test('an abort stops before the next chunk, with the reason of the signal', async () => {
  const reason = new Error('the client left')
  let encoded = 0
  const paths = pipeline.base.text.map(({ encoder, ...path }): TextPath => {
    const { maxClipSkip, width, pooledWidth } = encoder
    const encode: typeof encoder.encode = (rows, clipSkip) => {
      encoded += rows.length
      if (encoded === 3) controller.abort(reason)
      return encoder.encode(rows, clipSkip)
    }
    return { ...path, encoder: { maxClipSkip, width, pooledWidth, encode } }
  })
  await assert.rejects(encodePrompts(paths, prompts, { signal: controller.signal }), reason)
  assert.equal(encoded, 3)
})
