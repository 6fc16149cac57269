import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import type { InferenceWork } from '../core/inference.ts'
import { decodeWork, encodeWork } from './work-format.ts'

/** An image request as version 0.1 stored it. */
const stored = {
  model: 'fake-image',
  prompt: 'a fox',
  prompt2: null,
  negativePrompt: null,
  negativePrompt2: null,
  width: 64,
  height: 64,
  steps: 4,
  guidanceScale: 5,
  seeds: [1],
  sampler: 'DDIM',
  encoding: 'png',
  clipSkip: null,
  stylePreset: null,
  initial: null,
  mask: null,
  refinerStart: null,
  previews: false,
}

const inFormat = (version: number, work: unknown): Uint8Array => Buffer.concat([Buffer.from([version]), serialize(work)])
const readBack = (change: object): InferenceWork => decodeWork(inFormat(1, { kind: 'image', request: { ...stored, ...change } }))

test('work reads back as it was written, with its bytes', () => {
  const work: InferenceWork = {
    kind: 'image',
    request: makeImageRequest('a fox', { initial: { image: Uint8Array.of(1, 2, 3), strength: 0.5 } }),
  }
  assert.deepEqual(decodeWork(encodeWork(work)), work)
})

test('image requests that an earlier version stored mean the same today', () => {
  assert.deepEqual(readBack({}), { kind: 'image', request: makeImageRequest('a fox') })
  assert.deepEqual(readBack({ prompt2: 'flat', negativePrompt: 'dog', clipSkip: 2 }), {
    kind: 'image',
    request: makeImageRequest('a fox', { prompt2: 'flat', negative: { prompt: 'dog', prompt2: 'dog' }, clipSkip: 2 }),
  })
  assert.deepEqual(readBack({ negativePrompt2: 'cat' }), {
    kind: 'image',
    request: makeImageRequest('a fox', { negative: { prompt: '', prompt2: 'cat' } }),
  })
  const mask = { image: Uint8Array.of(1), fullResolution: true, padding: 8, outpainting: false }
  assert.deepEqual(readBack({ mask }), { kind: 'image', request: makeImageRequest('a fox', { mask: { ...mask, blur: 0 } }) })
})

test('a chat that an earlier version stored without a limit gets as many tokens as one without a limit today', () => {
  const request = makeTextRequest('Hello')
  for (const maxTokens of [null, 9])
    assert.deepEqual(decodeWork(inFormat(1, { kind: 'chat', request: { ...request, maxTokens } })), {
      kind: 'chat',
      request: { ...request, maxTokens: maxTokens ?? 512 },
    })
})

test('work of a later version is refused', () => {
  assert.throws(() => decodeWork(inFormat(3, {})), { code: 'internal_error' })
})
