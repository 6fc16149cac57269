import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { countKeys, findDuplicateKey, findHalfPair } from './parse-json.ts'

suite('duplicate keys', () => {
  for (const [json, key] of [
    ['{"a":1,"b":{"a":2}}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
    ['{"a":"a","b":["a","a"]}', undefined],
    ['{"a":1,"a":1}', 'a'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"x":{"b":1,"c":{"d":1},"b":2}}', 'b'],
    ['{"a":{"b":1},"c":[{"":1,"":2}]}', ''],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    ['{"ä":1,"ä":2}', 'ä'],
    ['{"1":1,"1":2}', '1'],
  ] as const)
    test(`${json} has ${key === undefined ? 'no duplicate key' : `\`${key}\` twice`}`, () => {
      const bytes = Buffer.from(json)
      assert.equal(findDuplicateKey(bytes), key)
      const colons = json.split('":').length - 1
      assert.equal(countKeys(JSON.parse(json)) === colons, key === undefined)
    })
})

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
    test(`${json}: ${place === undefined ? 'no lone surrogate' : `lone surrogate at ${place.join('.')}`}`, () => {
      assert.deepEqual(findHalfPair(json, JSON.parse(json)), place)
    })
})
