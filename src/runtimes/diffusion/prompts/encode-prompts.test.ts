import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { tinyFolder } from '../../../../test/support/model-files/tiny-image-model.ts'
import { loadDiffusionPipeline } from '../diffusion-pipeline.ts'
import { applyWeights, encodePrompts, type PromptsToEncode, type TextPath } from './encode-prompts.ts'

const controller = new AbortController()
const pipeline = await loadDiffusionPipeline(tinyFolder, { threads: 1, refiner: null, signal: controller.signal })
after(() => pipeline[Symbol.asyncDispose]())

const text = [{ text: 'a red apple '.repeat(200), weight: 1 }]
const prompts: PromptsToEncode = { positive: { first: text, second: text }, negative: 'zeros', clipSkip: 0, truncate: false }

/** The pipeline's own encoders; `onEncode` gets the number of rows of each call. */
function watched(onEncode: (rows: number) => void): readonly TextPath[] {
  return pipeline.base.text.map(({ encoder, ...path }): TextPath => {
    const { maxClipSkip, width, pooledWidth } = encoder
    const encode: typeof encoder.encode = (rows, clipSkip) => {
      onEncode(rows.length)
      return encoder.encode(rows, clipSkip)
    }
    return { ...path, encoder: { maxClipSkip, width, pooledWidth, encode } }
  })
}

test('the padding chunk of the shorter text is encoded once, however long the other is', async () => {
  let encoded = 0
  const paths = watched((rows) => {
    encoded += rows
  })
  const none = [{ text: '', weight: 1 }]
  const { signal } = new AbortController()
  const { positive, negative } = await encodePrompts(paths, { ...prompts, negative: { first: none, second: none } }, { signal })
  const chunks = positive.tokens / 77
  assert.ok(chunks > 2)
  assert.equal(encoded, paths.length * (chunks + 2))
  assert.equal(negative?.tokens, positive.tokens)
  const width = (negative?.hidden.length ?? 0) / chunks
  assert.deepEqual(negative?.hidden.subarray(0, width), negative?.hidden.subarray(width, 2 * width))
})

test('a text of too many chunks is cut, and the result says where', async () => {
  let encoded = 0
  const paths = watched(() => {
    encoded += 1
  })
  const none = [{ text: '', weight: 1 }]
  const long = [{ text: '虎'.repeat(10_000), weight: 1 }]
  const { signal } = new AbortController()
  const texts = { positive: { first: none, second: none }, negative: { first: none, second: long } }
  const { positive, cutAt } = await encodePrompts(paths, { ...prompts, ...texts }, { signal })
  assert.deepEqual([positive.tokens, cutAt], [150 * 77, 150 * 75])
  assert.ok(encoded > 0)
  assert.equal((await encodePrompts(paths, { ...prompts, positive: texts.positive, negative: null }, { signal })).cutAt, undefined)
})

test('10 000 Latin characters are accepted, even if each is a token of its own', async () => {
  const paths = watched(() => assert.fail('was encoded'))
  const digits = [{ text: '1'.repeat(10_000), weight: 1 }]
  const gone = AbortSignal.abort('the texts are short enough')
  await assert.rejects(
    encodePrompts(paths, { ...prompts, positive: { first: digits, second: digits } }, { signal: gone }),
    (reason) => reason === 'the texts are short enough',
  )
})

test('an abort stops before the next chunk, with the reason of the signal', async () => {
  const reason = new Error('the client left')
  let encoded = 0
  const paths = watched((rows) => {
    encoded += rows
    if (encoded === 3) controller.abort(reason)
  })
  await assert.rejects(encodePrompts(paths, prompts, { signal: controller.signal }), reason)
  assert.equal(encoded, 3)
})

test('a weight scales its own token and no other, wherever the mean moves', () => {
  // A row whose mean is nearly zero, as from SDXL's second encoder.
  const row = { hidden: Float32Array.of(1, -1, 2, -2.001), pooled: null, tokens: 2, width: 2 }
  assert.deepEqual([...applyWeights(row, [1, 3]).hidden], [1, -1, 6, Math.fround(Math.fround(-2.001) * 3)])
  assert.equal(applyWeights(row, [1, 1]), row)
})
