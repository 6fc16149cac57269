import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { findLoopbackFault, type LoopbackRequest } from './loopback-caller.ts'

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
    ['by a name of its own', {}],
    ['from the address of IPv6', { from: '::1', headers: { host: '[::1]:8080' } }],
    ['from that of IPv4 in its other dress', { from: '::ffff:127.0.0.1', headers: { host: '127.0.0.1:8080' } }],
    ['in capital letters', { headers: { host: 'LOCALHOST:8080' } }],
    ['at the port that is left out', { port: 80, headers: { host: 'localhost' } }],
    ['from a page of the service itself', { headers: { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' } }],
    ['typed into a browser', { method: 'GET', headers: { 'sec-fetch-site': 'none' } }],
  ] as const satisfies readonly (readonly [string, Sent])[])
    test(name, () => assert.equal(judge(sent), null))
})

suite('a request without a token is not authenticated', () => {
  for (const [name, sent, fault] of [
    ['from the network', { from: '192.168.1.7' }, /from another/],
    ['from another loopback address', { from: '127.0.0.2' }, /from another/],
    ['from the network in IPv6’s dress', { from: '::ffff:10.0.0.1' }, /from another/],
    ['from nowhere', { from: '' }, /from another/],
    ['from a proxy that says so', { headers: { 'x-forwarded-for': '127.0.0.1' } }, /proxy/],
    ['from a proxy that says so emptily', { headers: { 'x-forwarded-for': '' } }, /proxy/],
    ['from a proxy by the standard', { headers: { forwarded: 'for=127.0.0.1' } }, /proxy/],
    ['from a proxy that names itself', { headers: { via: '1.1 squid' } }, /proxy/],
    ['from a proxy that names the scheme alone', { headers: { 'x-forwarded-proto': 'https' } }, /proxy/],
    ['from a proxy with the client’s address', { headers: { 'x-real-ip': '203.0.113.9' } }, /proxy/],
    ['through a tunnel of Cloudflare', { headers: { 'cf-connecting-ip': '203.0.113.9' } }, /proxy/],
    ['through a tunnel of Tailscale', { headers: { 'tailscale-user-login': 'ada@example.com' } }, /proxy/],
    ['from a proxy that says nothing and speaks HTTP/1.0', { version: '1.0' }, /proxy/],
    ['under a name that was pointed here', { headers: { host: 'evil.example:8080' } }, /another host/],
    ['under a name that ends like its own', { headers: { host: 'evil.localhost:8080' } }, /another host/],
    ['under a name that begins like its own', { headers: { host: 'localhost.evil.example:8080' } }, /another host/],
    ['under its own name with a dot', { headers: { host: 'localhost.:8080' } }, /another host/],
    ['under its own name with a person before it', { headers: { host: 'localhost:8080@evil.example' } }, /another host/],
    ['under a number that leads here', { headers: { host: '2130706433:8080' } }, /another host/],
    ['under the address of every network', { headers: { host: '0.0.0.0:8080' } }, /another host/],
    ['under another port', { headers: { host: 'localhost:80' } }, /another host/],
    ['without a port', { headers: { host: 'localhost' } }, /another host/],
    ['without a name', { headers: { host: '' } }, /another host/],
    ['from a page elsewhere', { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }, /web page/],
    ['from a page in an old browser', { headers: { origin: 'https://evil.example' } }, /web page/],
    ['from a page without an origin', { headers: { origin: 'null' } }, /web page/],
    ['from a page of another program here', { headers: { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' } }, /web page/],
    ['from a page under its other name', { headers: { origin: 'http://127.0.0.1:8080' } }, /web page/],
    ['from a page over TLS', { headers: { origin: 'https://localhost:8080' } }, /web page/],
    ['from a picture on a page', { method: 'GET', headers: { 'sec-fetch-site': 'cross-site' } }, /web page/],
    ['from a link to a neighbour', { method: 'GET', headers: { 'sec-fetch-site': 'same-site' } }, /web page/],
    ['from a form that a person sent with no page', { headers: { 'sec-fetch-site': 'none' } }, /web page/],
  ] as const satisfies readonly (readonly [string, Sent, RegExp])[])
    test(name, () => assert.match(judge(sent) ?? '', fault))
})
