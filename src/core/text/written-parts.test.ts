import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinPart, type WrittenPart } from './written-parts.ts'

function joined(parts: readonly WrittenPart[]): readonly WrittenPart[] {
  const all: WrittenPart[] = []
  for (const part of parts) joinPart(all, part)
  return all
}

test('what goes on is one part; what begins something else is its own', () => {
  const call = { choice: 0, index: 0 } as const
  assert.deepEqual(
    joined([
      { type: 'thoughts', choice: 0, text: 'h' },
      { type: 'thoughts', choice: 0, text: 'm' },
      { type: 'text', choice: 0, text: 'a', tokens: [1] },
      { type: 'text', choice: 0, text: 'b', logprobs: [] },
      { type: 'text', choice: 1, text: 'x' },
      { type: 'tool-call', ...call, id: 'c', name: 'find' },
      { type: 'tool-arguments', ...call, fragment: '{"a"' },
      { type: 'tool-arguments', ...call, fragment: ':1}' },
      { type: 'tool-arguments', choice: 0, index: 1, fragment: '{}' },
    ]),
    [
      { type: 'thoughts', choice: 0, text: 'hm' },
      { type: 'text', choice: 0, text: 'ab' },
      { type: 'text', choice: 1, text: 'x' },
      { type: 'tool-call', ...call, id: 'c', name: 'find' },
      { type: 'tool-arguments', ...call, fragment: '{"a":1}' },
      { type: 'tool-arguments', choice: 0, index: 1, fragment: '{}' },
    ],
  )
})
