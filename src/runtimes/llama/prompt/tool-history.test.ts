import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatMessage } from '../../../core/text-generation.ts'
import { detectToolFormat } from './tool-format.ts'
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

test('ids that a template refuses are shortened, in calls and results alike', () => {
  const [, call, first, second] = fitToolHistory(mistral, conversation)
  assert.ok(call?.role === 'assistant' && first?.role === 'tool' && second?.role === 'tool')
  assert.deepEqual(
    call.toolCalls?.map(({ id }) => id),
    [first.toolCallId, 'abcdefghi'],
  )
  assert.match(first.toolCallId, /^[a-z0-9]{9}$/)
})

test('calls made at once become one after the other, where a template knows only one', () => {
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
