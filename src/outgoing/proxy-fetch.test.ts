import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { type ForwardProxyServer, startForwardProxy } from '../../test/support/network/forward-proxy.ts'
import { startSecureFront } from '../../test/support/network/secure-front.ts'
import { createProxyRoutes } from './find-proxy.ts'
import { createProxyFetch } from './proxy-fetch.ts'

const stack = new AsyncDisposableStack()
let proxy: ForwardProxyServer
let here = ''
/** Called when an endless answer ends. */
const ended = new EventEmitter()
let ask: typeof fetch

before(async () => {
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request
    if (url === '/moved') return void response.writeHead(307, { location: '/there' }).end()
    if (url === '/abroad') return void response.writeHead(302, { location: 'http://b.example/there' }).end()
    if (url === '/round') return void response.writeHead(302, { location: '/round' }).end()
    if (url === '/nothing') return void response.writeHead(204).end()
    if (url === '/endless') return void response.once('close', () => ended.emit('end')).write('and on')
    if (url === '/cut') return void response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy())
    response.setHeader('set-cookie', ['a=1', 'b=2'])
    response.end(
      [method, headers.host, url, headers.authorization ?? 'nobody', headers['content-type'] ?? '', await text(request)].join('|'),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  here = `http://127.0.0.1:${port}`
  const front = stack.use(await startSecureFront('a.example', port))
  proxy = stack.use(await startForwardProxy({ 'a.example': port, 'b.example': port, 'a.example:443': front.port }))
  const address = { url: `http://me:secret@127.0.0.1:${proxy.port}`, name: `127.0.0.1:${proxy.port}` }
  ask = createProxyFetch(createProxyRoutes({ http: address, https: address, exceptions: [] }))
})
after(() => stack.disposeAsync())

/** What a call failed with, and what that came from. */
async function failureOf(call: Promise<Response>): Promise<string> {
  try {
    return `answered ${(await call).status}`
  } catch (error) {
    assert.ok(error instanceof Error)
    return `${error.message}: ${error.cause instanceof Error ? error.cause.message : ''}`
  }
}

describe('fetch through a proxy', () => {
  for (const origin of ['http://a.example', 'https://a.example'])
    test(`carries requests to ${origin} and their answers`, async () => {
      const requested = proxy.requested.length
      const answer = await ask(`${origin}/x`, { headers: { authorization: 'Bearer t' } })
      assert.equal(await answer.text(), 'GET|a.example|/x|Bearer t||')
      assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2'])
      assert.ok(proxy.requested.length > requested)
      const posted = await ask(new Request(`${origin}/y`, { method: 'PUT', body: new URLSearchParams({ a: 'ä' }) }))
      assert.equal(await posted.text(), 'PUT|a.example|/y|nobody|application/x-www-form-urlencoded;charset=UTF-8|a=%C3%A4')
      const empty = await ask(`${origin}/nothing`)
      assert.deepEqual([empty.status, empty.body], [204, null])
    })

  test('connects directly to this machine', async () => {
    const requested = proxy.requested.length
    assert.match(await (await ask(`${here}/x`)).text(), /^GET\|127\.0\.0\.1/)
    assert.equal(proxy.requested.length, requested)
  })

  test('follows redirects, with the token only to the same origin', async () => {
    const headers = { authorization: 'Bearer t' }
    assert.match(await (await ask('http://a.example/moved', { headers })).text(), /^GET\|a\.example\|\/there\|Bearer t/)
    assert.match(await (await ask('http://a.example/abroad', { headers })).text(), /^GET\|b\.example\|\/there\|nobody/)
    assert.equal((await ask('http://a.example/moved', { redirect: 'manual' })).status, 307)
    for (const [path, init] of [
      ['/moved', { redirect: 'error' }],
      ['/moved', { method: 'POST', body: 'x' }],
      ['/round', {}],
    ] as const)
      assert.match(await failureOf(ask(`http://a.example${path}`, init)), /^fetch failed: http:\/\/a\.example redirects/)
  })

  test('fails with the name of the proxy, and never its password', async () => {
    proxy.refusal = '407 Proxy Authentication Required'
    using _again = { [Symbol.dispose]: () => (proxy.refusal = null) }
    for (const origin of ['http://c.example', 'https://c.example']) {
      const failure = await failureOf(ask(origin))
      assert.match(
        failure,
        /^fetch failed: The proxy 127\.0\.0\.1:\d+ requires a name and password or rejects the given ones \(407\); .* https?-proxy/,
      )
      assert.doesNotMatch(failure, /secret/)
    }
    proxy.refusal = '503 Service Unavailable'
    assert.match(await failureOf(ask('https://c.example')), /^fetch failed: The proxy 127\.0\.0\.1:\d+ answered 503 to/)
  })

  test('reports a broken connection through the proxy', async () => {
    const answer = await ask('https://a.example/cut')
    await assert.rejects(answer.text(), /The connection through the proxy 127\.0\.0\.1:\d+ broke off/)
  })

  test("ends with the signal's reason when it aborts", async () => {
    proxy.refusal = 'silence'
    using _again = { [Symbol.dispose]: () => (proxy.refusal = null) }
    for (const origin of ['http://d.example', 'https://d.example']) {
      const leave = new AbortController()
      const requested = proxy.requested.length
      const answer = ask(origin, { signal: leave.signal })
      while (proxy.requested.length === requested) await new Promise((resolve) => setImmediate(resolve))
      leave.abort(new Error('left'))
      await assert.rejects(answer, { message: 'left' })
    }
  })

  test('also ends in the middle of an answer when the signal aborts or the reader stops', async () => {
    const leave = new AbortController()
    const answer = await ask('https://a.example/endless', { signal: leave.signal })
    const [, closed] = [leave.abort(new Error('left')), once(ended, 'end')]
    await assert.rejects(answer.text(), { message: 'left' })
    await closed
    const unread = await ask('http://a.example/endless')
    const freed = once(ended, 'end')
    await unread.body?.cancel()
    await freed
  })
})
