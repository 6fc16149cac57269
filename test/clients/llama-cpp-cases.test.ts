import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { readEvents } from '../support/read-events.ts'
import type { ClientTarget } from './client-target.ts'
import { startRealTarget } from './start-real-target.ts'

const user = (content: unknown) => ({ role: 'user', content })
const called = { role: 'assistant', content: [{ type: 'tool_use', id: 'test123', name: 'get_weather', input: { location: 'Paris' } }] }
const result = { type: 'tool_result', tool_use_id: 'test123', content: 'The weather is sunny, 25°C' }
const weather = {
  name: 'get_weather',
  description: 'Weather',
  input_schema: { type: 'object', properties: { location: { type: 'string' } } },
}

/** What the cases of llama.cpp's test_compat_anthropic.py send, beside the model; docs/clients.md names those that differ here. */
const messages: Readonly<Record<string, object>> = {
  basic: { messages: [user('Say hello')] },
  with_system: { system: 'You are a helpful assistant.', messages: [user('Hello')] },
  multipart_content: {
    messages: [
      user([
        { type: 'text', text: 'What is' },
        { type: 'text', text: ' the answer?' },
      ]),
    ],
  },
  conversation: { messages: [user('Hello'), { role: 'assistant', content: 'Hi there!' }, user('How are you?')] },
  tool_use_basic: { max_tokens: 200, tools: [weather], messages: [user("What's the weather in Paris?")] },
  tool_result: { messages: [user("What's the weather?"), called, user([result])] },
  tool_result_with_text: { messages: [user("What's the weather?"), called, user([{ type: 'text', text: 'Results:' }, result])] },
  tool_result_error: { messages: [user('Get the weather'), called, user([{ ...result, is_error: true }])] },
  stop_sequences: { stop_sequences: ['\n', 'END'], messages: [user('Count to 10')] },
  temperature: { temperature: 0.5, messages: [user('Hello')] },
  top_p: { top_p: 0.9, messages: [user('Hello')] },
  top_k: { top_k: 40, messages: [user('Hello')] },
  thinking: { max_tokens: 100, thinking: { type: 'enabled', budget_tokens: 50 }, messages: [user('What is 2+2?')] },
  metadata: { metadata: { user_id: 'test_user_123' }, messages: [user('Hello')] },
}

suite('the published cases of llama.cpp’s server', () => {
  let target: ClientTarget
  before(async () => {
    target = await startRealTarget()
  })
  after(() => target[Symbol.asyncDispose]())

  const send = (path: string, body: object) =>
    fetch(`${target.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${target.token}` },
      body: JSON.stringify({ model: target.chatModel, ...body }),
    })

  for (const [name, body] of Object.entries(messages))
    test(`test_anthropic_${name}, whole and as a stream`, async () => {
      const response = await send('/v1/messages', { max_tokens: 50, ...body })
      const answer = JSON.parse(await response.text())
      assert.deepEqual([response.status, answer.type, answer.role], [200, 'message', 'assistant'], JSON.stringify(answer))
      assert.ok(Array.isArray(answer.content) && answer.usage.output_tokens > 0 && !('timings' in answer))
      for (const count of ['input_tokens', 'cache_read_input_tokens']) assert.ok(Number.isInteger(answer.usage[count]))
      const events = await readEvents<{ index?: number; message?: { content: unknown[]; usage: Record<string, number> } }>(
        await send('/v1/messages', { max_tokens: 50, ...body, stream: true }),
      )
      const names = events.map((event) => event.name)
      assert.deepEqual([names[0], names.at(-2), names.at(-1)], ['message_start', 'message_delta', 'message_stop'])
      const { content, usage } = events[0]?.data.message ?? { content: [1], usage: {} }
      assert.deepEqual(content, [])
      assert.ok((usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0) > 0)
      const indices = (kind: string) => events.flatMap((event) => (event.name === kind ? [event.data.index] : []))
      assert.deepEqual(indices('content_block_start'), indices('content_block_stop'))
      assert.deepEqual(
        indices('content_block_start'),
        indices('content_block_start').map((_, index) => index),
      )
    })

  test('test_anthropic_count_tokens, with a system prompt and without a limit', async () => {
    const plain = JSON.parse(await (await send('/v1/messages/count_tokens', { messages: [user('Hello world')] })).text())
    const reported = JSON.parse(
      await (await send('/v1/messages/count_tokens', { system: 'You are helpful.', messages: [user('Hello world')] })).text(),
    )
    assert.deepEqual(Object.keys(plain), ['input_tokens'])
    assert.ok(plain.input_tokens > 0 && reported.input_tokens > plain.input_tokens)
  })

  test('usage reports the cached part of a prompt', async () => {
    const body = { max_tokens: 4, messages: [user('Tell me what the capital of Portugal is, please.')] }
    const first = JSON.parse(await (await send('/v1/messages', body)).text())
    const second = JSON.parse(await (await send('/v1/messages', body)).text())
    assert.ok(second.usage.cache_read_input_tokens > 0)
    const all = ({ usage }: { usage: Record<string, number> }) => (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0)
    assert.equal(all(second), all(first))
  })

  const formats: readonly (readonly [format: object, status: number, expected: RegExp])[] = [
    [{ type: 'json_schema', name: 'test', schema: { const: 'foooooo' } }, 200, /^"fo+"?/],
    [{ type: 'json_object' }, 200, /^\s*\{/],
    [{ type: 'text' }, 200, /./],
    [{ type: 'json_schema', name: 'test' }, 400, /schema/],
  ]
  for (const [format, status, expected] of formats)
    test(`test_responses_with_text_format, ${JSON.stringify(format)}`, async () => {
      const response = await send('/responses', { input: 'Write an example', max_output_tokens: 10, text: { format } })
      const answer = JSON.parse(await response.text())
      assert.equal(response.status, status, JSON.stringify(answer))
      assert.match(status === 200 ? answer.output.at(-1).content[0].text : answer.error.message, expected)
    })
})
