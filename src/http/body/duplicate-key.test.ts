import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { countKeys, findDuplicateKey } from './duplicate-key.ts'

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
    test(`${json} has ${key === undefined ? 'none' : `\`${key}\` twice`}`, () => {
      const bytes = Buffer.from(json)
      assert.equal(findDuplicateKey(bytes), key)
      const colons = json.split('":').length - 1
      assert.equal(countKeys(JSON.parse(json)) === colons, key === undefined)
    })
})
