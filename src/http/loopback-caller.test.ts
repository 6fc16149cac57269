import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { Account, Role } from '../core/account.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import { createLoopbackCaller, findLoopbackFault, type LoopbackRequest } from './loopback-caller.ts'

interface Sent {
  readonly from?: string
  readonly port?: number
  readonly method?: string
  readonly version?: string
  readonly headers?: Readonly<Record<string, string>>
}

function judge({ from = '127.0.0.1', port = 8080, method = 'POST', version = '1.1', headers = {} }: Sent): string | null {
  const request: LoopbackRequest = {
    method,
    httpVersion: version,
    headers: { host: `localhost:${port}`, ...headers },
    socket: { remoteAddress: from, localPort: port },
  }
  return findLoopbackFault(request)
}

suite('a request without a token from this machine gets the account of local programs', () => {
  for (const [name, sent] of [
    ['with the usual host', {}],
    ['from the IPv6 loopback address', { from: '::1', headers: { host: '[::1]:8080' } }],
    ['from the IPv4 loopback address mapped to IPv6', { from: '::ffff:127.0.0.1', headers: { host: '127.0.0.1:8080' } }],
    ['with the host in capital letters', { headers: { host: 'LOCALHOST:8080' } }],
    ['on port 80, left out of the host', { port: 80, headers: { host: 'localhost' } }],
    ['from a page of the service itself', { headers: { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' } }],
    ['typed into a browser', { method: 'GET', headers: { 'sec-fetch-site': 'none' } }],
  ] as const satisfies readonly (readonly [string, Sent])[])
    test(name, () => assert.equal(judge(sent), null))
})

suite('a request without a token is not authenticated', () => {
  for (const [name, sent, fault] of [
    ['from the network', { from: '192.168.1.7' }, /from another/],
    ['from another loopback address', { from: '127.0.0.2' }, /from another/],
    ['from a network address mapped to IPv6', { from: '::ffff:10.0.0.1' }, /from another/],
    ['without a remote address', { from: '' }, /from another/],
    ['from a proxy with X-Forwarded-For', { headers: { 'x-forwarded-for': '127.0.0.1' } }, /proxy/],
    ['from a proxy with an empty X-Forwarded-For', { headers: { 'x-forwarded-for': '' } }, /proxy/],
    ['from a proxy with Forwarded', { headers: { forwarded: 'for=127.0.0.1' } }, /proxy/],
    ['from a proxy with Via', { headers: { via: '1.1 squid' } }, /proxy/],
    ['from a proxy with X-Forwarded-Proto only', { headers: { 'x-forwarded-proto': 'https' } }, /proxy/],
    ['from a proxy with X-Real-IP', { headers: { 'x-real-ip': '203.0.113.9' } }, /proxy/],
    ['through a tunnel of Cloudflare', { headers: { 'cf-connecting-ip': '203.0.113.9' } }, /proxy/],
    ['through a tunnel of Tailscale', { headers: { 'tailscale-user-login': 'ada@example.com' } }, /proxy/],
    ['from a proxy without headers on HTTP/1.0', { version: '1.0' }, /proxy/],
    ['under a foreign name that resolves to this machine', { headers: { host: 'evil.example:8080' } }, /another host/],
    ['under a name that ends in localhost', { headers: { host: 'evil.localhost:8080' } }, /another host/],
    ['under a name that begins with localhost', { headers: { host: 'localhost.evil.example:8080' } }, /another host/],
    ['under localhost with a trailing dot', { headers: { host: 'localhost.:8080' } }, /another host/],
    ['under localhost as a user name', { headers: { host: 'localhost:8080@evil.example' } }, /another host/],
    ['under the loopback address as a number', { headers: { host: '2130706433:8080' } }, /another host/],
    ['under 0.0.0.0', { headers: { host: '0.0.0.0:8080' } }, /another host/],
    ['under another port', { headers: { host: 'localhost:80' } }, /another host/],
    ['without a port', { headers: { host: 'localhost' } }, /another host/],
    ['without a host', { headers: { host: '' } }, /another host/],
    ['from a page of another site', { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }, /web page/],
    ['from a page in an old browser', { headers: { origin: 'https://evil.example' } }, /web page/],
    ['from a page without an origin', { headers: { origin: 'null' } }, /web page/],
    ['from a page of another program here', { headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' } }, /web page/],
    ['from a page of the service under another name', { headers: { origin: 'http://127.0.0.1:8080' } }, /web page/],
    ['from a page over TLS', { headers: { origin: 'https://localhost:8080' } }, /web page/],
    ['from an image element on another site', { method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } }, /web page/],
    ['from a link on the same site', { method: 'GET', headers: { 'sec-fetch-site': 'same-site' } }, /web page/],
    ['from a form without a page', { headers: { 'sec-fetch-site': 'none' } }, /web page/],
  ] as const satisfies readonly (readonly [string, Sent, RegExp])[])
    test(name, () => assert.match(judge(sent) ?? '', fault))
})

suite('the account of local programs', () => {
  const { signal } = new AbortController()
  const accountOf = (id: string, role: Role, createdAt: number, disabledAt: number | null = null): Account => {
    return { id, name: id, email: null, role, createdAt, disabledAt, limits: noLimits }
  }
  const local: LoopbackRequest = {
    method: 'POST',
    httpVersion: '1.1',
    headers: { host: 'localhost:8080' },
    socket: { remoteAddress: '127.0.0.1', localPort: 8080 },
  }
  const callerOf = (...accounts: readonly Account[]) =>
    createLoopbackCaller({ accounts: { list: async () => accounts }, clock: createTestClock() })

  test('is that of the oldest enabled owner, with every scope', async () => {
    const find = callerOf(
      accountOf('member', 'member', 1),
      accountOf('gone', 'owner', 2, 3),
      accountOf('new', 'owner', 9),
      accountOf('old', 'owner', 4),
    )
    const { accountId, tokenId, scopes, ownerSeesCauses } = await find(local, { signal })
    assert.deepEqual([accountId, tokenId, ownerSeesCauses], ['old', null, true])
    assert.deepEqual([...scopes].toSorted(), ['image', 'read', 'text'])
  })

  test('is found neither for a stranger nor without an owner', async () => {
    const stranger = { ...local, socket: { remoteAddress: '192.0.2.1', localPort: 8080 } }
    await assert.rejects(callerOf(accountOf('a', 'owner', 1))(stranger, { signal }), {
      code: 'missing_token',
      message: /only programs on this machine are answered, and this request comes from another\./,
    })
    await assert.rejects(callerOf(accountOf('a', 'member', 1))(local, { signal }), {
      code: 'missing_token',
      message: /no owner to act for/,
    })
  })
})
