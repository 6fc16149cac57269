import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeToolsAsText } from './tool-prompt.ts'

const tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } }

test('tools are described in the system message', () => {
  const [system, user] = writeToolsAsText(
    [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    [tool],
  )
  assert.match(system?.content ?? '', /^Be brief\.\n\n# Tools[\s\S]*"name":"add"/)
  assert.deepEqual(user, { role: 'user', content: 'Hi' })
})

test('a system message is added if there is none', () => {
  const [system] = writeToolsAsText([{ role: 'user', content: 'Hi' }], [tool])
  assert.equal(system?.role, 'system')
})

test('earlier calls and results become text', () => {
  const call = { id: '1', name: 'add', arguments: '{"a":1}' }
  const messages = writeToolsAsText(
    [
      { role: 'assistant', content: 'Wait.', toolCalls: [call] },
      { role: 'tool', content: '2', toolCallId: '1' },
    ],
    [],
  )
  assert.deepEqual(messages, [
    { role: 'assistant', content: 'Wait.\n<tool_call>\n{"name": "add", "arguments": {"a":1}}\n</tool_call>' },
    { role: 'user', content: '<tool_response>\n2\n</tool_response>' },
  ])
})

test("the assistant's thoughts before its calls are kept", () => {
  const call = { id: '1', name: 'now', arguments: '' }
  const messages = writeToolsAsText([{ role: 'assistant', content: null, thoughts: 'Look.', toolCalls: [call], name: 'ann' }], [])
  assert.deepEqual(messages, [
    { role: 'assistant', content: '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>', thoughts: 'Look.', name: 'ann' },
  ])
})

test('consecutive results become one message, since many templates require alternating turns', () => {
  const calls = ['1', '2'].map((id) => ({ id, name: 'now', arguments: '' }))
  const messages = writeToolsAsText(
    [
      { role: 'assistant', content: null, toolCalls: calls },
      { role: 'tool', content: 'one', toolCallId: '1' },
      { role: 'tool', content: 'two', toolCallId: '2' },
      { role: 'user', content: 'Well?' },
    ],
    [],
  )
  const call = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
  assert.deepEqual(messages, [
    { role: 'assistant', content: `${call}\n${call}` },
    { role: 'user', content: '<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response>' },
    { role: 'user', content: 'Well?' },
  ])
})
