import assert from 'node:assert/strict'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { findOpenFaults } from '../../src/composition/start-faults.ts'
import { routes } from '../../src/http/routes.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'

interface Sent {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly from?: string
}

const chat = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: '[say yes]' }] })

async function send(url: string, { method = 'POST', path = '/v1/chat/completions', headers = {}, body = chat, from = '127.0.0.1' }: Sent) {
  const { hostname, port } = new URL(url)
  const answer = await new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, localAddress: from, headers: { 'content-type': 'application/json', ...headers } })
    sent.on('error', reject).on('response', (response) => {
      text(response).then((all) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: all }), reject)
    })
    sent.end(method === 'GET' || method === 'DELETE' ? undefined : body)
  })
  return answer
}

suite('a service open to local programs', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ settings: { listen: { openOnLoopback: true, corsOrigins: ['*'] } } })
  })
  after(() => service[Symbol.asyncDispose]())

  test('accepts them as its owner, on every interface', async () => {
    assert.equal((await send(service.url, {})).status, 200)
    assert.equal((await send(service.url, { path: '/api/chat' })).status, 200)
    assert.equal((await send(service.url, { path: '/sdapi/v1/sd-models', method: 'GET' })).status, 200)
    await service.inBooks(2)
    assert.deepEqual(new Set(service.booked.map(({ accountId }) => accountId)), new Set([service.accountId]))
  })

  test('still checks a token if one is sent', async () => {
    const wrong = await send(service.url, { headers: { authorization: 'Bearer sepia_wrong' } })
    assert.deepEqual([wrong.status, JSON.parse(wrong.body).error.code], [401, 'invalid_token'])
    assert.equal((await send(service.url, { headers: { authorization: `Bearer ${service.token}` } })).status, 200)
    const read = await service.makeToken(['read'])
    assert.equal((await send(service.url, { headers: { 'x-api-key': read } })).status, 403)
  })

  test('accepts a token from anywhere, as before', async () => {
    const headers = {
      authorization: `Bearer ${service.token}`,
      'x-forwarded-for': '203.0.113.9',
      host: 'sepia.example',
      origin: 'https://app.example',
    }
    assert.equal((await send(service.url, { headers, from: '127.0.0.2' })).status, 200)
  })

  for (const [name, sent] of [
    ['another loopback address', { from: '127.0.0.2' }],
    ['a proxy', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
    ['a name that was pointed here (DNS rebinding)', { headers: { host: 'evil.example' } }],
    ['a page elsewhere that may use tokens (CORS)', { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }],
    ['a form of a page elsewhere', { headers: { origin: 'https://evil.example', 'content-type': 'text/plain' } }],
    ['a page of a neighbour on another port', { headers: { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' } }],
    ['a picture on a page elsewhere', { method: 'GET', path: '/v1/models', headers: { 'sec-fetch-site': 'cross-site' } }],
  ] as const satisfies readonly (readonly [string, Sent])[])
    test(`rejects ${name} without a token, with the reason`, async () => {
      const refused = await send(service.url, sent)
      assert.deepEqual([refused.status, JSON.parse(refused.body).error.code], [401, 'missing_token'])
      assert.match(JSON.parse(refused.body).error.message, /only programs on this machine are answered, and this request/)
    })

  test('rejects a rebound name at every address that needs a token', async () => {
    for (const { method, path, scopes } of routes) {
      if (scopes === null) continue
      const { status } = await send(service.url, {
        method,
        path: path.replace(/\{.*\}/, 'x'),
        headers: { host: 'evil.example' },
        body: '{}',
      })
      assert.equal(status, 401, `${method} ${path}`)
    }
  })

  test('still protects the console', async () => {
    const { status } = await send(service.url, { path: '/console/api/tokens', method: 'GET' })
    assert.equal(status, 404)
  })
})

test('a service that is not open rejects requests without a token', async () => {
  await using service = await startHttpService()
  assert.equal((await send(service.url, {})).status, 401)
})

test('requests without a token are rejected if the owner is disabled', async () => {
  await using service = await startHttpService({ settings: { listen: { openOnLoopback: true } } })
  const options = { signal: new AbortController().signal }
  await createAccount({ ...service.store }, { name: 'Bob', role: 'member' }, options)
  await service.store.accounts.change(service.accountId, { disabledAt: 1, by: null }, options)
  assert.equal((await send(service.url, {})).status, 401)
})

suite('open-on-loopback is rejected at start', () => {
  const addresses = { publicUrl: null, imageUrl: null, asyncUrl: null, textUrl: null }
  const listen = {
    host: '127.0.0.1',
    port: 8080,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    connectionsPerAddress: null,
    openOnLoopback: true,
  }
  const url = 'https://sepia.example'
  for (const [where, changed] of [
    ['host', { listen: { ...listen, host: '0.0.0.0' }, addresses }],
    ['host', { listen: { ...listen, host: '::' }, addresses }],
    ['host', { listen: { ...listen, host: '192.168.1.5' }, addresses }],
    ['public-url', { listen, addresses: { ...addresses, publicUrl: url } }],
    ['text-url', { listen, addresses: { ...addresses, textUrl: url } }],
    ['trusted-proxies', { listen: { ...listen, trustedProxies: ['loopback'] }, addresses }],
    ['allowed-hosts', { listen: { ...listen, allowedHosts: ['sepia.example'] }, addresses }],
  ] as const)
    test(`beside ${where}`, () => {
      assert.deepEqual(
        findOpenFaults(changed).map((fault) => fault.where),
        [where],
      )
      assert.deepEqual(findOpenFaults({ ...changed, listen: { ...changed.listen, openOnLoopback: false } }), [])
    })

  test('on a loopback address it is accepted', () => {
    for (const host of ['127.0.0.1', '::1', 'localhost']) assert.deepEqual(findOpenFaults({ listen: { ...listen, host }, addresses }), [])
  })
})
