import assert from 'node:assert/strict'
import { test } from 'node:test'
import { miniChat } from './llama-test-model.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const signal = new AbortController().signal
const embeds = { ...miniChat, embeddings: true }

test('texts become vectors of unit length, the same ones every time', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  const inputs = ['The capital of France', 'Two plus two', 'The capital of France']
  const { vectors, promptTokens } = await model.embed({ model: miniChat.id, inputs }, { signal })
  assert.equal(vectors.length, 3)
  assert.ok(promptTokens > 6)
  for (const vector of vectors) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6)
  assert.deepEqual(vectors[0], vectors[2])
  assert.notDeepEqual(vectors[0], vectors[1])
})

test('a text longer than the context is refused with both numbers', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  await assert.rejects(model.embed({ model: miniChat.id, inputs: ['hello '.repeat(2000)] }, { signal }), {
    code: 'context_length_exceeded',
    message: /1024/,
  })
})

test('a model that is not for embeddings says so', async () => {
  await using model = await loadLlamaModel(miniChat, { threads: 1, slots: 1, signal })
  await assert.rejects(model.embed({ model: miniChat.id, inputs: ['a'] }, { signal }), { code: 'unsupported_parameter' })
})
