import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serialize } from 'node:v8'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import type { InferenceWork } from '../core/inference.ts'
import type { JsonObject } from '../core/json-value.ts'
import { readPortable } from '../core/portable-value.ts'
import { decodeWork, encodeWork, workFormat } from './work-format.ts'

const alone = { tokenId: null, traceparent: null }

const picture: InferenceWork = {
  kind: 'image',
  request: makeImageRequest('ünïcode 🐯 \ud800', {
    initial: { image: Uint8Array.of(0, 255, 128), strength: 0.1 },
    mask: { image: new Uint8Array(70_000).fill(7), fullResolution: true, padding: 32, outpainting: false, blur: 4 },
    seeds: [1, 4294967295],
  }),
}

test('work comes back as it was, images and maps included', () => {
  const { sampling } = makeTextRequest('')
  const chat: InferenceWork = {
    kind: 'chat',
    request: makeTextRequest('hello', { sampling: { ...sampling, logitBias: new Map([[50256, -100]]), temperature: 0.1 } }),
  }
  for (const work of [picture, chat])
    for (const holder of [alone, { tokenId: 't', traceparent: '00-1-2-01' }])
      assert.deepEqual(decodeWork(encodeWork({ ...holder, work })), { ...holder, work })
})

test('property names chosen by clients are read back unchanged', () => {
  const schema: JsonObject = JSON.parse(
    '{"$": "bytes", "at": 0, "length": 5, "__proto__": {"polluted": true}, "constructor": 1, "nested": [{"$": {"$": "map", "entries": [[1, 2]]}}]}',
  )
  const work: InferenceWork = { kind: 'chat', request: makeTextRequest('x', { responseFormat: { type: 'json_schema', schema } }) }
  const read = decodeWork(encodeWork({ ...alone, work })).work
  assert.deepEqual(read, work)
  assert.equal('polluted' in {}, false)
})

/** As version 0.1 writes it: a drawing with a mark. */
const earlier = makeImageRequest('', {
  model: '4x',
  initial: { image: Uint8Array.of(1, 2), strength: 1 },
  seeds: [0],
  encoding: 'jpeg',
})

test('an enlargement is read back, also from earlier versions, and earlier versions can run new ones', () => {
  const work = {
    kind: 'enlargement',
    request: { model: '4x', image: Uint8Array.of(1, 2), width: 64, height: 64, encoding: 'jpeg' },
  } as const
  const bytes = encodeWork({ ...alone, tokenId: 't', work })
  assert.deepEqual(decodeWork(bytes), { ...alone, tokenId: 't', work })
  const request = { ...earlier, enlarges: true }
  assert.deepEqual(decodeWork(encodeWork({ ...alone, work: { kind: 'image', request } })), { ...alone, work })
  const jsonEnd = 5 + new DataView(bytes.buffer).getUint32(1)
  const written = readPortable(Buffer.from(bytes.subarray(5, jsonEnd)).toString(), bytes.subarray(jsonEnd))
  const { model, width, height, encoding, seeds, loras, initial } = earlier
  const read = { model, width, height, encoding, seeds, loras, initial, enlarges: true }
  assert.deepEqual(written, { kind: 'image', request: read, tokenId: 't' })
})

test('the first byte is the format, and a later one is rejected', () => {
  const bytes = encodeWork({ ...alone, work: picture })
  assert.equal(bytes[0], workFormat)
  bytes[0] = workFormat + 1
  assert.throws(() => decodeWork(bytes), /format 4/)
})

test('damaged bytes are refused', () => {
  const bytes = encodeWork({ ...alone, work: picture })
  assert.throws(() => decodeWork(bytes.subarray(0, 40)))
  assert.throws(() => decodeWork(bytes.subarray(0, 3)))
})

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
const readBack = (change: object): InferenceWork => decodeWork(inFormat(1, { kind: 'image', request: { ...stored, ...change } })).work

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
    assert.deepEqual(decodeWork(inFormat(1, { kind: 'chat', request: { ...request, maxTokens } })).work, {
      kind: 'chat',
      request: { ...request, maxTokens: maxTokens ?? 512 },
    })
})

test("work in the second format, which was V8's too, reads back", () => {
  assert.deepEqual(decodeWork(inFormat(2, picture)).work, picture)
})

test('a chat that an earlier version stored without a seed gets one, drawn at random', () => {
  const request = makeTextRequest('Hello')
  const read = decodeWork(inFormat(1, { kind: 'chat', request: { ...request, sampling: { ...request.sampling, seed: null } } })).work
  assert.ok(read.kind === 'chat' && Number.isInteger(read.request.sampling.seed))
  assert.deepEqual(read, { kind: 'chat', request: { ...request, sampling: { ...request.sampling, seed: read.request.sampling.seed } } })
})
