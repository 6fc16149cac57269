import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integerRange } from './integer-range.ts'

/** The range's grammar as a regular expression: this subset means the same in both. */
function matcher(minimum: number | null, maximum: number | null): RegExp {
  return new RegExp(`^(${integerRange({ minimum, maximum }).replaceAll(/[" ]/g, '')})$`)
}

for (const [minimum, maximum] of [
  [0, 120],
  [1, 12],
  [-5, 17],
  [-120, -7],
  [99, 1001],
  [7, 7],
  [0, 0],
] as const)
  test(`accepts integers from ${minimum} to ${maximum}, and no others`, () => {
    const pattern = matcher(minimum, maximum)
    for (let value = -1100; value <= 1100; value++)
      assert.equal(pattern.test(String(value)), value >= minimum && value <= maximum, String(value))
  })

test('an open range allows fifteen digits', () => {
  assert.ok(matcher(5, null).test('999999999999999'))
  assert.ok(!matcher(5, null).test('4'))
  assert.ok(matcher(null, 5).test('-999999999999999'))
  assert.ok(!matcher(null, 5).test('6'))
})

test('numbers have no leading zeros', () => {
  assert.ok(!matcher(0, 120).test('007'))
})
