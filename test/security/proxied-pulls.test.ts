import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import type { HubAccess } from '../../src/catalog/hub/hub-access.ts'
import { searchHub } from '../../src/catalog/hub/search-hub.ts'
import { pullModel } from '../../src/catalog/pull-model.ts'
import { isKnownInside } from '../../src/catalog/web/fetch-public.ts'
import { lookUpHost } from '../../src/composition/models/pull-to-data-folder.ts'
import { findWaysOut } from '../../src/composition/ways-out.ts'
import { isPrivateHost } from '../../src/http/headers/private-host.ts'
import { ggufValue, writeGguf } from '../support/model-files/gguf-file.ts'
import { type HubServer, startHubServer } from '../support/model-files/hub-server.ts'
import { type ForwardProxyServer, startForwardProxy } from '../support/network/forward-proxy.ts'
import { nameAnswer, startNameServer } from '../support/network/name-server.ts'
import { startSecureFront } from '../support/network/secure-front.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const options = { signal, onProgress: () => {} }
const weights = Buffer.concat([writeGguf([['general.architecture', ggufValue('llama')]], []), Buffer.alloc(3_000_000, 'w')])
/** The machine of these tests resolves no name. */
const lookUp = async (): Promise<readonly string[]> => []
const stack = new AsyncDisposableStack()
let [hub, proxy]: [HubServer, ForwardProxyServer] = [Object(), Object()]

before(async () => {
  hub = stack.use(await startHubServer({ 'a/b': { files: { 'b-q4_k_m.gguf': weights } } }))
  const port = Number(new URL(hub.url).port)
  const front = stack.use(await startSecureFront('hub.example', port))
  // Names that lead inside: those that only the proxy knows, as an attacker's name server would have them.
  proxy = stack.use(
    await startForwardProxy({ 'hub.example': port, 'hub.example:443': front.port, 'inside.example:443': front.port, '10.0.0.1:443': port }),
  )
})
beforeEach(() => {
  proxy.refusal = null
  proxy.requested.splice(0)
})
after(() => stack.disposeAsync())

function accessTo(endpoint: string, changes: Partial<HubAccess> = {}): HubAccess {
  const named = { url: `http://me:secret@127.0.0.1:${proxy.port}`, name: `127.0.0.1:${proxy.port}` }
  const { findRoute, fetch } = findWaysOut({ proxies: { http: named, https: named, exceptions: [] } })
  const trustedHosts = [new URL(endpoint).hostname, 'localhost']
  return { endpoint, token: null, trustedHosts, proxies: { findRoute, isPrivateHost, lookUp }, fetch, wait: async () => {}, ...changes }
}

suite('pulls through a proxy', () => {
  for (const [endpoint, requested] of [
    ['http://hub.example', /^GET http:\/\/hub\.example\/a\/b\/resolve\/main\/b-q4_k_m\.gguf$/],
    ['https://hub.example', /^CONNECT hub\.example:443$/],
  ] as const)
    test(`fetch a model from the hub at ${endpoint}, which is searched through the proxy too`, async () => {
      await using folder = await createTemporaryFolder()
      const access = accessTo(endpoint)
      const model = await pullModel({ modelsFolder: folder.path, hub: access }, 'hf:a/b', options)
      assert.deepEqual(await readFile(join(model.folder, 'b-q4_k_m.gguf')), weights)
      assert.match(proxy.requested.at(-1) ?? '', requested)
      assert.ok((await searchHub(access, 'b', { signal })).some(({ source }) => source === 'hf:a/b'))
    })

  test('fetch weights from a web address, with TLS to the host itself', async () => {
    await using folder = await createTemporaryFolder()
    const access = accessTo('https://hub.invalid')
    const pull = (source: string) => pullModel({ modelsFolder: folder.path, hub: access }, source, options)
    const model = await pull('https://hub.example/storage/a/b/b-q4_k_m.gguf')
    assert.deepEqual(await readFile(join(model.folder, 'b-q4_k_m.gguf')), weights)
    // The proxy leads there, but what answers cannot show a certificate of that name.
    await assert.rejects(pull('https://inside.example/storage/a/b/b-q4_k_m.gguf'), /inside\.example.* cannot be reached through the proxy/)
    await assert.rejects(pull('http://hub.example/storage/a/b/b-q4_k_m.gguf'), /does not use https/)
  })

  test('are rejected for a private address before the proxy is contacted', async () => {
    await using folder = await createTemporaryFolder()
    const access = accessTo('https://hub.invalid')
    for (const host of ['10.0.0.1', '169.254.169.254', '[fd00::1]', '192.168.1.1', '127.0.0.1', 'localhost', '[::1]'])
      await assert.rejects(
        pullModel({ modelsFolder: folder.path, hub: { ...access, trustedHosts: [] } }, `https://${host}/x.gguf`, options),
        /is in a private network; add .* to the setting pull-hosts/,
        host,
      )
    assert.deepEqual(proxy.requested, [])
  })

  test('are rejected for names that resolve to private addresses here, and left to the proxy for unknown names', async () => {
    const know = (...addresses: readonly string[]) => ({ isPrivateHost, lookUp: async () => addresses })
    assert.equal(await isKnownInside('wiki.example', know('93.184.216.34', '10.1.2.3'), { signal }), true)
    assert.equal(await isKnownInside('wiki.example', know('::1'), { signal }), true)
    assert.equal(await isKnownInside('wiki.example', know('93.184.216.34'), { signal }), false)
    assert.equal(await isKnownInside('wiki.example', know(), { signal }), false)
    assert.equal(await isKnownInside('10.0.0.1', know(), { signal }), true)
    assert.equal(await isKnownInside('wiki', know(), { signal }), true)
    assert.equal(await isKnownInside('93.184.216.34', know('10.0.0.1'), { signal }), false)
    const { resolve, promise: requested } = Promise.withResolvers<AbortSignal>()
    const silent = (_name: string, options: { readonly signal: AbortSignal }) => {
      resolve(options.signal)
      return once(options.signal, 'abort').then(() => [])
    }
    const leave = new AbortController()
    const answer = isKnownInside('wiki.example', { isPrivateHost, lookUp: silent }, { signal: leave.signal })
    await requested
    leave.abort(new Error('left'))
    await assert.rejects(answer, { message: 'left' })
  })

  test('resolve names through name servers, and can be cancelled while these do not respond', async () => {
    using knowing = await startNameServer((question, isFour) => nameAnswer(question, isFour ? [10, 1, 2, 3] : null))
    assert.deepEqual(await lookUpHost('wiki.example', { signal, servers: knowing.servers }), ['10.1.2.3'])
    const requested = Promise.withResolvers<void>()
    using silent = await startNameServer(() => {
      requested.resolve()
      return null
    })
    const leave = new AbortController()
    const found = lookUpHost('wiki.example', { signal: leave.signal, servers: silent.servers })
    await requested.promise
    leave.abort()
    assert.deepEqual(await found, [])
    assert.deepEqual(await lookUpHost('wiki.example', { signal: leave.signal, servers: knowing.servers }), [])
  })

  for (const endpoint of ['http://hub.example', 'https://hub.example'])
    test(`from ${endpoint} name a rejecting proxy without its password`, async () => {
      await using folder = await createTemporaryFolder()
      const pull = (source: string) => pullModel({ modelsFolder: folder.path, hub: accessTo(endpoint) }, source, options)
      proxy.refusal = '407 Proxy Authentication Required'
      for (const source of ['hf:a/b', `${endpoint}/storage/a/b/b-q4_k_m.gguf`])
        await assert.rejects(pull(source), ({ message }: Error) => {
          assert.match(message, /The proxy 127\.0\.0\.1:\d+ requires a name and password/)
          assert.doesNotMatch(message, /secret/)
          return true
        })
      proxy.refusal = '502 Bad Gateway'
      await assert.rejects(pull(`${endpoint}/storage/a/b/b-q4_k_m.gguf`), new RegExp(`proxy 127\\.0\\.0\\.1:${proxy.port}`))
    })

  test('continue where a cut connection stopped', async () => {
    await using folder = await createTemporaryFolder()
    await using broken = await startHubServer({ 'a/b': { files: { 'b-q4_k_m.gguf': weights } } }, { cutAfter: 1_200_000 })
    const port = Number(new URL(broken.url).port)
    await using front = await startSecureFront('broken.example', port)
    await using other = await startForwardProxy({ 'broken.example:443': front.port })
    const named = { url: `http://127.0.0.1:${other.port}`, name: `127.0.0.1:${other.port}` }
    const ways = findWaysOut({ proxies: { http: named, https: named, exceptions: [] } })
    const access = accessTo('https://broken.example', { fetch: ways.fetch, proxies: { findRoute: ways.findRoute, isPrivateHost, lookUp } })
    const model = await pullModel({ modelsFolder: folder.path, hub: access }, 'https://broken.example/storage/a/b/b-q4_k_m.gguf', options)
    assert.deepEqual(await readFile(join(model.folder, 'b-q4_k_m.gguf')), weights)
  })
})
