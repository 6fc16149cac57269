import assert from 'node:assert/strict'
import { test } from 'node:test'
import { miniChat } from '../../../test/support/mini-chat.ts'
import { loadLlamaModel } from './load-llama-model.ts'

const signal = new AbortController().signal
const embeds = { ...miniChat, embeddings: true }

test('texts are embedded as unit vectors, the same every time', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  const inputs = ['The capital of France', 'Two plus two', 'The capital of France']
  const { vectors, promptTokens } = await model.embed({ model: miniChat.id, inputs }, { signal })
  assert.equal(vectors.length, 3)
  assert.ok(promptTokens > 6)
  for (const vector of vectors) assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6)
  assert.deepEqual(vectors[0], vectors[2])
  assert.notDeepEqual(vectors[0], vectors[1])
})

test('a text longer than the context is rejected with both numbers', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  await assert.rejects(model.embed({ model: miniChat.id, inputs: ['hello '.repeat(2000)] }, { signal }), {
    code: 'context_length_exceeded',
    message: /^The text has \d+ tokens and the model's context holds 1024; shorten it\.$/,
  })
})

test('a text that is obviously longer than the context is rejected without tokenizing it, and many texts yield to other work', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  await assert.rejects(model.embed({ model: miniChat.id, inputs: ['a', 'hello '.repeat(5_000_000)] }, { signal }), {
    code: 'context_length_exceeded',
    message: /^The text has at least \d+ tokens and the model's context holds 1024; shorten it\.$/,
  })
  const leaving = new AbortController()
  const many = model.embed({ model: miniChat.id, inputs: Array.from({ length: 2048 }, () => 'hello '.repeat(900)) }, leaving)
  setImmediate(() => leaving.abort(new Error('gone')))
  await assert.rejects(many, /gone/)
})

test('a long text yields to other work too', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  const leaving = new AbortController()
  const long = model.embed({ model: miniChat.id, inputs: ['hello '.repeat(4000)] }, leaving)
  setImmediate(() => leaving.abort(new Error('gone')))
  await assert.rejects(long, /gone/)
})

test('a model that does not support embeddings reports that', async () => {
  await using model = await loadLlamaModel(miniChat, { threads: 1, slots: 1, signal })
  await assert.rejects(model.embed({ model: miniChat.id, inputs: ['a'] }, { signal }), { code: 'unsupported_parameter' })
})

test('tokens of another tokenizer are rejected, tokens of a truncated text are not', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  const text = 'The quick brown fox jumps over the lazy dog, and the unbelievable happens. '.repeat(12)
  const input = { type: 'text', text, framed: false, special: false } as const
  const { tokens = [] } = (await model.tokenize?.({ model: miniChat.id, input, spelled: false }, { signal, account: 'a' })) ?? {}
  const embed = (tokens: readonly number[]) => model.embed({ model: miniChat.id, inputs: [tokens] }, { signal })
  assert.ok(tokens.length > 150)
  for (const [start, end] of [
    [0, tokens.length],
    [3, 140],
    [tokens.length - 7, tokens.length],
  ])
    assert.equal((await embed(tokens.slice(start, end))).vectors.length, 1)
  const foreign = tokens.map((token) => (token + 1000) % 4000)
  await assert.rejects(embed(foreign), { code: 'invalid_request_error', param: 'input', message: /another tokenizer/ })
  await assert.rejects(embed(foreign.slice(0, 20)), { param: 'input' })
})

test('tokens are embedded like their text, and vectors cut to fewer dimensions are normalized again', async () => {
  await using model = await loadLlamaModel(embeds, { threads: 1, slots: 1, signal })
  const input = { type: 'text', text: 'Two plus two', framed: false, special: false } as const
  const { tokens = [] } = (await model.tokenize?.({ model: miniChat.id, input, spelled: false }, { signal, account: 'a' })) ?? {}
  const { vectors } = await model.embed({ model: miniChat.id, inputs: ['Two plus two', tokens] }, { signal })
  assert.deepEqual(vectors[0], vectors[1])
  const short = await model.embed({ model: miniChat.id, inputs: [tokens], dimensions: 5 }, { signal })
  assert.equal(short.vectors[0]?.length, 5)
  assert.ok(Math.abs(Math.hypot(...(short.vectors[0] ?? [])) - 1) < 1e-6)
  await assert.rejects(model.embed({ model: miniChat.id, inputs: ['a'], dimensions: 1_000_000 }, { signal }), { param: 'dimensions' })
  for (const field of ['input', 'content'] as const) {
    const requested = { model: miniChat.id, inputs: [[999_999]], ...(field === 'content' && { field }) }
    const message = `${field} has token 999999; this model's tokens are 0 to 4095.`
    await assert.rejects(model.embed(requested, { signal }), { code: 'invalid_request_error', param: field, message })
  }
})
