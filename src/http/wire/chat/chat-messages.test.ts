import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertRefused } from '../../../../test/support/wire/assert-refused.ts'
import { createChatRequestParser } from './chat-request.ts'
import { publishedBodies } from './sampling-fields.ts'

const parse = createChatRequestParser(publishedBodies)
const user = (content: unknown) => ({ role: 'user', content })
const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }
const accept = (fields: object) => parse({ model: 'm', ...fields })
const refuse = (fields: object, param: string, code: 'invalid_request_error' | 'unsupported_parameter') =>
  assertRefused(() => accept(fields), { code, param })

suite('messages of earlier answers', () => {
  const messagesOf = (...messages: readonly object[]) => {
    const { input } = accept({ messages: [user('Hi'), ...messages] }).request
    return input.type === 'chat' ? input.messages.slice(1) : []
  }

  test('extra fields that clients add to messages, parts and calls have no effect', () => {
    const marks = { cache_control: { type: 'ephemeral' }, extra_content: { google: {} }, provider_specific_fields: {}, anything: null }
    const notes = { id: 'm1', timestamp: 5, annotations: [], parsed: { a: 1 }, reasoning_details: [{}], thinking_blocks: [], prefix: false }
    const noted = { ...call, ...marks, caller: {}, function: { ...call.function, parsed_arguments: {} } }
    assert.deepEqual(
      messagesOf(
        { role: 'assistant', content: [{ type: 'text', text: 'x', ...marks }], ...marks, ...notes, audio: null, tool_calls: [noted] },
        { role: 'tool', content: 'y', tool_call_id: 'a', ...marks, is_error: true },
      ),
      [
        { role: 'assistant', content: 'x', toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] },
        { role: 'tool', content: 'y', toolCallId: 'a' },
      ],
    )
    refuse({ messages: [{ ...user('x'), anything: 0 }] }, 'messages[0].anything', 'unsupported_parameter')
  })

  test('empty messages, refusals and reasoning under another name are accepted', () => {
    for (const content of [null, undefined, '', []])
      assert.deepEqual(messagesOf({ role: 'assistant', content }), [{ role: 'assistant', content: '' }])
    assert.deepEqual(messagesOf({ role: 'assistant', content: null, refusal: 'No.' }), [{ role: 'assistant', content: 'No.' }])
    const refused = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }
    assert.deepEqual(messagesOf(refused), [{ role: 'assistant', content: 'No.' }])
    assert.deepEqual(messagesOf({ role: 'assistant', content: 'x', reasoning: 'hm' }), [
      { role: 'assistant', content: 'x', thoughts: 'hm' },
    ])
    assert.equal(accept({ messages: [user('Hi'), { role: 'assistant', content: 'The', prefix: true }] }).request.input.type, 'chat')
  })

  test('a result is matched to its call by an id of any form, or by order without one', () => {
    const calling = (id: unknown, name = 'look') => ({ id, function: { name, arguments: { a: 1 } } })
    for (const id of ['functions.look:0', 'x'.repeat(400), 'ü 1']) {
      const [said, found] = messagesOf({ role: 'assistant', tool_calls: [calling(id)] }, { role: 'tool', content: 'y', tool_call_id: id })
      assert.deepEqual([Object(said).toolCalls, Object(found).toolCallId], [[{ id, name: 'look', arguments: '{"a":1}' }], id])
    }
    for (const id of [null, '', undefined]) {
      const calls = { role: 'assistant', tool_calls: [calling(id), calling(id, 'fs.read'.padEnd(90, 'x'))] }
      const [said, ...found] = messagesOf(calls, { role: 'tool', content: 'y', tool_call_id: id }, { role: 'tool', content: 'z' })
      const ids = Object(said).toolCalls.map(({ id }: { readonly id: string }) => id)
      assert.equal(new Set(ids).size, 2)
      assert.deepEqual(
        found.map((message) => Object(message).toolCallId),
        ids,
      )
    }
    assert.deepEqual(messagesOf({ role: 'tool', content: 'lost', tool_call_id: 'b' }), [{ role: 'tool', content: 'lost', toolCallId: 'b' }])
  })

  test('function_call of older clients is read as a tool call', () => {
    const [said, found] = messagesOf(
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
      { role: 'function', name: 'look', content: '12:00' },
    )
    const { id } = Object(said).toolCalls[0]
    assert.deepEqual(said, { role: 'assistant', content: null, toolCalls: [{ id, name: 'look', arguments: '{}' }] })
    assert.deepEqual(found, { role: 'tool', content: '12:00', toolCallId: id, name: 'look' })
  })
})
