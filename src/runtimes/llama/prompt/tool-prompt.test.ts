import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeToolsAsText } from './tool-prompt.ts'

const tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' } }

test('tools are taught in the system message', () => {
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

test('a system message is made when there is none', () => {
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
