import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProxyTrust } from './trusted-proxies.ts'

for (const [list, trusted, others] of [
  [[], [], ['127.0.0.1', '::1', '', undefined]],
  [['10.0.0.7'], ['10.0.0.7', '::ffff:10.0.0.7'], ['10.0.0.8', 'unknown', '10.0.0.7:80']],
  [
    ['10.1.0.0/16', 'fd00:1::/32'],
    ['10.1.2.3', 'fd00:1::9'],
    ['10.2.0.1', 'fd00:2::9'],
  ],
  [['loopback'], ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'], ['10.0.0.1', '::2']],
  [
    ['linklocal', 'uniquelocal'],
    ['169.254.1.1', 'fe80::1', '172.31.0.1', 'fd12::1'],
    ['172.32.0.1', '2001:db8::1'],
  ],
] as const)
  test(`of ${list.join(', ') || 'nobody'} are trusted ${trusted.join(', ') || 'none'}`, () => {
    const trust = createProxyTrust(list)
    for (const address of trusted) assert.equal(trust(address), true, address)
    for (const address of others) assert.equal(trust(address), false, address)
  })
