import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nestsDeeperThan } from './json-nesting.ts'

const isDeeper = (levels: number, value: string) => nestsDeeperThan(levels, Buffer.from(value))

suite('the nesting of a JSON text', () => {
  test('counts objects and lists that lie in each other, not beside each other', () => {
    assert.equal(isDeeper(0, '1'), false)
    assert.equal(isDeeper(0, '{}'), true)
    assert.equal(isDeeper(3, '{"a":[{}]}'), false)
    assert.equal(isDeeper(2, '{"a":[{}]}'), true)
    assert.equal(isDeeper(2, `[${'{},'.repeat(1000)}[]]`), false)
  })

  test('brackets in strings do not count, wherever the string ends', () => {
    for (const text of ['[[[', '{"{[', '\\', '\\"[[[', '\\\\', '\\\\"[', '', '"a"["b\\']) {
      assert.equal(isDeeper(1, JSON.stringify({ [text]: text })), false, text)
      assert.equal(isDeeper(1, JSON.stringify({ [text]: { [text]: text } })), true, text)
    }
  })

  test('a text that breaks off or is no JSON gets some answer', () => {
    for (const text of ['', '"[[', '"\\', ']]]', '{"a":"\\"']) assert.equal(isDeeper(1, text), false, text)
  })
})
