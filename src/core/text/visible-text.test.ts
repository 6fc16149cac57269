import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beginning, isVisible, joinPart, nameOnOneLine, onOneLine, type WrittenPart } from './visible-text.ts'

const name = new RegExp(nameOnOneLine, 'u')

test('a text of spaces, zero-width and ignorable characters is invisible', () => {
  for (const text of ['', ' ', '\n\t', '\u00a0', '\u200b', '\u200b \u2060\ufeff', '\u3164', '\u00ad', '\u202e', '\ud83d']) {
    assert.equal(isVisible(text), false, JSON.stringify(text))
    assert.equal(name.test(text), false, JSON.stringify(text))
  }
})

test('names may use any script and emoji, but no line breaks', () => {
  for (const text of ['a', ' a', 'Zoë', '日本', 'עברית', '👩‍🚀', '🏳️‍🌈', '.', 'a\u200bb']) {
    assert.equal(isVisible(text), true, text)
    assert.equal(name.test(text), true, text)
  }
  for (const text of ['a\nb', 'a\u0000', '\u001b[31m']) assert.equal(name.test(text), false, JSON.stringify(text))
})

test('a text becomes one line, and is not cut inside a character', () => {
  assert.equal(onOneLine('  two\r\nlines\u0000\tand a tab '), 'two lines and a tab')
  assert.equal(beginning('a👍b', 2), 'a👍')
})

function joined(parts: readonly WrittenPart[]): readonly WrittenPart[] {
  const all: WrittenPart[] = []
  for (const part of parts) joinPart(all, part)
  return all
}

test('consecutive parts of one kind are joined, others stay separate', () => {
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
