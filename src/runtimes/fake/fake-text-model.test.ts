import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import type { TextPart } from '../../core/text-generation.ts'
import { createFakeTextModel } from './fake-text-model.ts'

const clock = createTestClock()
const options = { signal: new AbortController().signal, account: 'a' }

async function read(parts: AsyncIterable<TextPart>): Promise<{ text: string; last: TextPart | undefined; reasons: string[] }> {
  const all = await Array.fromAsync(parts)
  return {
    text: all.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    last: all.at(-1),
    reasons: all.flatMap((part) => (part.type === 'choice-finish' ? [part.reason] : [])),
  }
}

test('the same request gets the same words and exactly one finish, with its usage', async () => {
  const model = createFakeTextModel({ clock, tokens: 5 })
  const first = await read(model.generate(makeTextRequest('tell me more'), options))
  const second = await read(model.generate(makeTextRequest('tell me more'), options))
  assert.deepEqual(first, second)
  assert.equal(first.text.split(' ').length, 5)
  assert.deepEqual(first.last, { type: 'finish', usage: { promptTokens: 3, completionTokens: 5, cachedTokens: 0 } })
})

test('a stop string split across tokens ends the answer, and the token limit ends it with length', async () => {
  const model = createFakeTextModel({ clock })
  const stopped = await read(model.generate(makeTextRequest('[say one two three]', { stop: ['o th'] }), options))
  assert.deepEqual([stopped.text, stopped.reasons], ['one tw', ['stop']])
  const limited = await read(model.generate(makeTextRequest('[say one two three]', { maxTokens: 2 }), options))
  assert.deepEqual([limited.text, limited.reasons], ['one two', ['length']])
})

test('waits for the clock before each token and stops when aborted', async () => {
  const controller = new AbortController()
  const model = createFakeTextModel({ clock, tokens: 3, tokenDelayMs: 10 })
  const parts: TextPart[] = []
  const reading = (async () => {
    for await (const part of model.generate(makeTextRequest('hi'), { ...options, signal: controller.signal })) parts.push(part)
  })()
  await clock.waiting(1)
  await clock.advance(20)
  assert.deepEqual(
    parts.map(({ type }) => type),
    ['prompt', 'text', 'text'],
  )
  controller.abort(new Error('client left'))
  await assert.rejects(reading, /client left/)
})

test('fails on demand after the requested tokens', async () => {
  const model = createFakeTextModel({ clock })
  const parts: TextPart[] = []
  await assert.rejects(
    async () => {
      for await (const part of model.generate(makeTextRequest('[fail numerical_error after 2]'), options)) parts.push(part)
    },
    { code: 'numerical_error' },
  )
  assert.equal(parts.length, 3)
})

test('rejects a prompt longer than the context, with both numbers', async () => {
  const model = createFakeTextModel({ clock, contextLength: 3 })
  await assert.rejects(read(model.generate(makeTextRequest('one two three four'), options)), {
    code: 'context_length_exceeded',
    message: /4.*3/,
  })
})

test('calls the tool that the prompt names', async () => {
  const tools = [{ name: 'get_weather', description: null, parameters: {} }]
  const input = {
    type: 'chat',
    messages: [{ role: 'user', content: '[call get_weather]' }],
    tools,
    toolChoice: 'auto',
    parallelToolCalls: true,
  } as const
  const parts = await Array.fromAsync(createFakeTextModel({ clock }).generate(makeTextRequest('', { input }), options))
  assert.deepEqual(parts[1], { type: 'tool-call', choice: 0, index: 0, id: 'call_0', name: 'get_weather' })
  assert.deepEqual(parts.at(-2), { type: 'choice-finish', choice: 0, reason: 'tool_calls' })
})
