import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import { clientAddress, createProxyTrust } from './client-address.ts'

describe('clientAddress', () => {
  it('returns an IPv4 address in one form, whatever form the socket reports', () => {
    assert.equal(clientAddress('203.0.113.7'), '203.0.113.7')
    assert.equal(clientAddress('::ffff:203.0.113.7'), '203.0.113.7')
  })

  it('returns the network of an IPv6 address', () => {
    for (const [address, network] of [
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:0DB8:1:2::6', '2001:db8:1:2::/64'],
      ['2001:db8::6', '2001:db8:0:0::/64'],
      ['2001:db8:1:2::', '2001:db8:1:2::/64'],
      ['::1', '0:0:0:0::/64'],
      ['fe80::1%eth0', 'fe80:0:0:0::/64'],
      ['1:2:3::192.0.2.1', '1:2:3:0::/64'],
    ] as const)
      assert.equal(clientAddress(address), network, address)
  })

  it('returns "unknown" for anything that is not an address', () => {
    for (const text of [undefined, '', 'unknown', '_hidden', '203.0.113.7:4711', 'x'.repeat(10_000)])
      assert.equal(clientAddress(text), 'unknown')
  })
})

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
  test(`trusted proxies ${list.join(', ') || '(none)'}: trusts ${trusted.join(', ') || 'no address'}`, () => {
    const trust = createProxyTrust(list)
    for (const address of trusted) assert.equal(trust(address), true, address)
    for (const address of others) assert.equal(trust(address), false, address)
  })
