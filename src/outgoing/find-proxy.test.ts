import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProxyFinder } from './find-proxy.ts'

const proxy = (name: string) => ({ url: `http://${name}`, name })
const both = { http: proxy('plain:1'), https: proxy('secure:2') }

/** Which of these addresses go through a proxy. */
function proxied(exceptions: readonly string[], ...addresses: readonly string[]): readonly string[] {
  const find = createProxyFinder({ ...both, exceptions })
  return addresses.filter((address) => find(new URL(address)) !== null)
}

test('an address goes through the proxy of its protocol, or directly where that has none', () => {
  const find = createProxyFinder({ ...both, exceptions: [] })
  assert.equal(find(new URL('http://a.example'))?.name, 'plain:1')
  assert.equal(find(new URL('https://a.example'))?.name, 'secure:2')
  assert.equal(createProxyFinder({ ...both, https: null, exceptions: [] })(new URL('https://a.example')), null)
  assert.equal(createProxyFinder({ ...both, http: null, exceptions: [] })(new URL('http://a.example')), null)
})

test('nothing on this machine goes through a proxy', () => {
  const here = [
    'http://localhost:1',
    'https://api.localhost',
    'http://127.0.0.1',
    'http://127.9.9.9:8',
    'http://[::1]:8',
    'http://2130706433',
  ]
  assert.deepEqual(proxied([], ...here, 'http://[::ffff:127.0.0.1]', 'http://localhost.:1'), [])
  const others = ['http://localhost.example', 'http://128.0.0.1', 'http://[::2]', 'http://notlocalhost']
  assert.deepEqual(proxied([], ...others), others)
})

test('a name matches itself and its subdomains, in any notation', () => {
  for (const name of ['corp.example', '.corp.example', '*.corp.example', 'corp.example.'])
    assert.deepEqual(
      proxied([name], 'https://corp.example', 'https://a.b.corp.example:8', 'https://CORP.example.', 'https://mycorp.example'),
      ['https://mycorp.example'],
      name,
    )
})

test('a name may have letters that addresses write in another way', () => {
  assert.deepEqual(proxied(['bücher.example'], 'https://a.bücher.example', 'https://xn--bcher-kva.example', 'https://bucher.example'), [
    'https://bucher.example',
  ])
})

test('a port limits an exception to that port', () => {
  const addresses = ['https://a.example', 'http://a.example:443', 'http://a.example', 'https://a.example:8443']
  assert.deepEqual(proxied(['a.example:443'], ...addresses), ['http://a.example', 'https://a.example:8443'])
  assert.deepEqual(proxied(['10.0.0.1:80'], 'http://10.0.0.1', 'http://10.0.0.1:81'), ['http://10.0.0.1:81'])
  assert.deepEqual(proxied(['[fd00::1]:80'], 'http://[fd00::1]', 'http://[fd00::1]:81'), ['http://[fd00::1]:81'])
})

test('addresses match alone or as a range, in both families', () => {
  assert.deepEqual(proxied(['10.0.0.0/8', '192.0.2.7'], 'http://10.9.8.7', 'http://11.0.0.1', 'http://192.0.2.7', 'http://192.0.2.70'), [
    'http://11.0.0.1',
    'http://192.0.2.70',
  ])
  for (const range of ['fd00::/8', 'fd12::1', 'fd12:0::1', '[fd12::1]'])
    assert.deepEqual(proxied([range], 'http://[fd12:0::1]', 'http://[fe80::1]'), ['http://[fe80::1]'], range)
})

test('a star matches every host, and an invalid entry matches none', () => {
  assert.deepEqual(proxied(['*'], 'http://a.example', 'https://10.0.0.1'), [])
  const strange = ['10.0.0.0/99', 'http://a.example', '.', '', '[', 'a.example:x']
  assert.deepEqual(proxied(strange, 'http://a.example', 'http://10.0.0.1'), ['http://a.example', 'http://10.0.0.1'])
})
