import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentText } from '../../language/formats.ts'
import { detailText } from './audit-detail.ts'

const names = new Map([['a1', 'Ada']])
const cases: readonly (readonly [detail: string, text: string | null])[] = [
  ['{"limits":{"requestsPerMinute":1}}', '1 request/min'],
  ['{"limits":{"requestsPerMinute":null,"tokensPerDay":20000,"weight":2}}', '20,000 tokens/day, weight 2, Requests a minute: removed'],
  ['{"limits":{"requestsPerMinute":null}}', 'Requests a minute: removed'],
  ['{"limits":{}}', 'no limits'],
  ['{"tokensPerMonth":7,"requestsPerMinute":null}', '7 tokens/month, Requests a minute: removed'],
  ['{"role":"owner"}', 'owner'],
  ['{"role":"member","by":"groups"}', 'member, from your organisation’s groups'],
  ['{"disabled":true}', 'disabled'],
  ['{"disabled":false}', 'enabled'],
  ['{"keepMs":86400000,"until":null}', 'each kept for 24\u00a0h'],
  ['{"keepMs":86400000,"until":1764000000000}', `each kept for 24\u00a0h, until ${momentText(1_764_000_000_000)}`],
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
    assert.equal(detailText({ action: 'account-changed', detail }, names), text)
  })

test('the name of a passkey is shown as it is', () => {
  for (const detail of ['{"disabled":true}', '{}', 'owner', 'read of a1'])
    assert.equal(detailText({ action: 'passkey-added', detail }, names), null)
})
