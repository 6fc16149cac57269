import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findHalfPair } from './half-pair.ts'

suite('halves of surrogate pairs in JSON', () => {
  for (const [json, place] of [
    [String.raw`{"a":"\ud83d\udc2f"}`, undefined],
    [String.raw`{"a":"\\ud83d"}`, undefined],
    [String.raw`{"a":"\\\\ud83d", "b":"\uD83D\uDC2F\ud83d\udc2f"}`, undefined],
    ['"🐯"', undefined],
    [String.raw`"\ud83d"`, []],
    [String.raw`{"a":[1,null,{"b":"x\uDC2F"}]}`, ['a', 2, 'b']],
    [String.raw`{"a":"\udc2f\ud83d"}`, ['a']],
    [String.raw`{"a":{"x\ud83d":1}}`, ['a', 'x\ufffd']],
    [String.raw`{"a":"\\\ud83d"}`, ['a']],
  ] as const)
    test(`${json}: ${place === undefined ? 'none' : place.join('.')}`, () => {
      assert.deepEqual(findHalfPair(json, JSON.parse(json)), place)
    })
})
