import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailText } from './audit-detail.ts'

const names = new Map([['a1', 'Ada']])
const cases: readonly (readonly [detail: string, text: string | null])[] = [
  ['{"limits":{"requestsPerMinute":1}}', '1 request/min'],
  ['{"limits":{"requestsPerMinute":null,"tokensPerDay":20000,"weight":2}}', '20,000 tokens/day, weight 2'],
  ['{"limits":{"requestsPerMinute":null}}', 'no limits'],
  ['{"limits":{}}', 'no limits'],
  ['{"tokensPerMonth":7,"requestsPerMinute":null}', '7 tokens/month'],
  ['{"role":"owner"}', 'owner'],
  ['{"role":"member","by":"groups"}', 'member, from the groups of the organisation'],
  ['{"disabled":true}', 'disabled'],
  ['{"disabled":false}', 'enabled'],
  ['{"keepMs":86400000,"until":null}', 'each kept for 24\u00a0h'],
  ['text image read', 'text, image, read'],
  ['read of a1', 'read, Ada'],
  ['text of gone', 'text, gone'],
  ['e-mail, password', 'e-mail, password'],
  ['a browser not known', 'an unknown browser'],
  ['with the passkey blue', null],
  ['3', null],
  ['null', null],
  ['', null],
]
for (const [detail, text] of cases)
  test(`a detail is shown in words: ${detail}`, () => {
    assert.equal(detailText(detail, names), text)
  })
