import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatMessage } from '../../../core/text-generation.ts'
import { detectToolFormat, type ToolFormat } from './tool-format.ts'
import { fitToolHistory } from './tool-history.ts'

const mistral = detectToolFormat('{% if tools %}[TOOL_CALLS]{% endif %}')
const llama3 = detectToolFormat('{% if tools %}{"name": x, "parameters": y} ipython{% endif %}')
const calls = ['call_1', 'abcdefghi'].map((id) => ({ id, name: 'now', arguments: '{}' }))
const conversation: readonly ChatMessage[] = [
  { role: 'user', content: 'Now?' },
  { role: 'assistant', content: 'Wait.', toolCalls: calls },
  { role: 'tool', content: 'one', toolCallId: 'call_1' },
  { role: 'tool', content: 'two', toolCallId: 'abcdefghi' },
]

test('ids that a template rejects are shortened, in calls and results alike', () => {
  const [, call, first, second] = fitToolHistory(mistral, conversation)
  assert.ok(call?.role === 'assistant' && first?.role === 'tool' && second?.role === 'tool')
  assert.deepEqual(
    call.toolCalls?.map(({ id }) => id),
    [first.toolCallId, 'abcdefghi'],
  )
  assert.match(first.toolCallId, /^[a-z0-9]{9}$/)
})

test('truncated or non-object arguments become an object if a template iterates over their members', () => {
  const coder = detectToolFormat('{% if tools %}<tool_call>\\n<function=x>\\n<parameter=y>{% endif %}')
  const fit = (format: ToolFormat) =>
    ['{"a": 1}', '', '{"a": "b', '[1]'].map((written) => {
      const toolCalls = [{ id: '1', name: 'now', arguments: written }]
      const [message] = fitToolHistory(format, [{ role: 'assistant', content: null, toolCalls }])
      return message?.role === 'assistant' ? message.toolCalls?.[0]?.arguments : null
    })
  assert.deepEqual(fit(coder), ['{"a": 1}', '', '{"arguments":"{\\"a\\": \\"b"}', '{"arguments":"[1]"}'])
  assert.deepEqual(fit(mistral), ['{"a": 1}', '', '{"a": "b', '[1]'])
})

test('parallel calls become sequential calls if a template supports only one', () => {
  const [one, two] = calls
  assert.ok(one !== undefined && two !== undefined)
  assert.deepEqual(fitToolHistory(llama3, conversation), [
    { role: 'user', content: 'Now?' },
    { role: 'assistant', content: 'Wait.', toolCalls: [one] },
    { role: 'tool', content: 'one', toolCallId: 'call_1' },
    { role: 'assistant', content: null, toolCalls: [two] },
    { role: 'tool', content: 'two', toolCallId: 'abcdefghi' },
  ])
})
