import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeAddress } from './safe-address.ts'

test('only web and mail links are allowed', () => {
  assert.equal(safeAddress('https://example.org/a?b#c'), 'https://example.org/a?b#c')
  assert.equal(safeAddress('HTTP://EXAMPLE.org'), 'http://example.org/')
  assert.equal(safeAddress('mailto:ada@example.org'), 'mailto:ada@example.org')
  for (const address of [
    'javascript:alert(1)',
    ' java\tscript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'blob:https://a/b',
    '/console/people',
    '//evil.example',
    '#id',
    '',
  ])
    assert.equal(safeAddress(address), null, JSON.stringify(address))
})
