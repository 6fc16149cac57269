import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { measureJson, nestsDeeperThan } from './json-shape.ts'

const isDeeper = (levels: number, value: string) => nestsDeeperThan(levels, Buffer.from(value))

suite('the nesting of a JSON text', () => {
  test('counts nested objects and lists, not siblings', () => {
    assert.equal(isDeeper(0, '1'), false)
    assert.equal(isDeeper(0, '{}'), true)
    assert.equal(isDeeper(3, '{"a":[{}]}'), false)
    assert.equal(isDeeper(2, '{"a":[{}]}'), true)
    assert.equal(isDeeper(2, `[${'{},'.repeat(1000)}[]]`), false)
  })

  test('ignores brackets in strings, wherever the string ends', () => {
    for (const text of ['[[[', '{"{[', '\\', '\\"[[[', '\\\\', '\\\\"[', '', '"a"["b\\']) {
      assert.equal(isDeeper(1, JSON.stringify({ [text]: text })), false, text)
      assert.equal(isDeeper(1, JSON.stringify({ [text]: { [text]: text } })), true, text)
    }
  })

  test('gives a result for an incomplete text or one that is not JSON', () => {
    for (const text of ['', '"[[', '"\\', ']]]', '{"a":"\\"']) assert.equal(isDeeper(1, text), false, text)
  })
})

suite('the shape of a JSON text', () => {
  const bounds = { depth: 9, containers: 9, keys: 9, keyBytes: 9, entries: 99 }

  test('counts punctuation and ignores text', () => {
    assert.deepEqual(measureJson(Buffer.from('{"a,:[{":[1,2,{"b":"c\\",:{"}],"d":null}'), bounds), {
      depth: 3,
      containers: 3,
      keys: 3,
      keyBytes: 5,
      entries: 6,
    })
  })

  test('is measured up to the first bound passed', () => {
    for (const [json, name] of [
      ['['.repeat(1000), 'depth'],
      ['{},'.repeat(1000), 'containers'],
      ['"a":1,'.repeat(1000), 'keys'],
      ['1,'.repeat(1000), 'entries'],
      [`{"${'k'.repeat(10)}":1,"${'k'.repeat(20)}":1}`, 'keyBytes'],
    ] as const)
      assert.equal(
        measureJson(Buffer.from(json), { ...bounds, entries: name === 'entries' ? 99 : 9999 })[name],
        name === 'entries' ? 100 : 10,
      )
  })
})
