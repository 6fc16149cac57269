import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { base32, findStep, oneTimeCode } from './one-time-code.ts'

const secret = Buffer.from('12345678901234567890')

describe('one-time codes', () => {
  // RFC 6238, appendix B, SHA-1: seconds since 1970 and the code of eight digits.
  for (const [seconds, code] of [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ] as const)
    it(`are those of the standard after ${seconds} seconds`, () => {
      assert.equal(oneTimeCode(secret, Math.floor(seconds / 30), 8), code)
      assert.equal(oneTimeCode(secret, Math.floor(seconds / 30)), code.slice(2))
    })

  it('fit a step before and after, and no further', () => {
    const now = 1111111109_000
    const step = Math.floor(now / 30_000)
    const found = [-2, -1, 0, 1, 2].map((offset) => findStep(secret, oneTimeCode(secret, step + offset), now))
    assert.deepEqual(found, [null, step - 1, step, step + 1, null])
    for (const code of ['', '1', '0000000', 'abcdef', '٠١٢٣٤٥']) assert.equal(findStep(secret, code, now), null)
    assert.equal(findStep(secret, oneTimeCode(secret, 0), 0), 0)
  })
})

describe('base32', () => {
  // RFC 4648, section 10.
  for (const [text, encoded] of [
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const)
    it(`of "${text}" is "${encoded}"`, () => assert.equal(base32(Buffer.from(text)), encoded))
})
