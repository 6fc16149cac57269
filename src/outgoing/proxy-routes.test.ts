import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { type AddressInfo, createServer as createSilentServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { type ForwardProxyServer, startForwardProxy } from '../../test/support/network/forward-proxy.ts'
import { startSecureFront } from '../../test/support/network/secure-front.ts'
import { ProxyFault } from '../core/outgoing/forward-proxies.ts'
import { createProxyRoutes } from './find-proxy.ts'

const stack = new AsyncDisposableStack()
let proxy: ForwardProxyServer
let sockets = 0

before(async () => {
  const server = createServer((request, response) => response.end(`${request.headers.host} ${request.url}`))
  server.on('connection', () => sockets++)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  stack.defer(() => void server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  const front = stack.use(await startSecureFront('a.example', port))
  proxy = stack.use(await startForwardProxy({ 'a.example': port, 'a.example:443': front.port }))
})
after(() => stack.disposeAsync())

const addressOf = (port: number) => ({ url: `http://me:pa%20ss@127.0.0.1:${port}`, name: `127.0.0.1:${port}` })

function routeTo(url: string, port = proxy.port) {
  const route = createProxyRoutes({ http: addressOf(port), https: addressOf(port), exceptions: [] })(new URL(url))
  assert.ok(route !== null)
  return route
}

async function get(url: string, { port = proxy.port, connectMs = 60_000, signal = new AbortController().signal } = {}): Promise<string> {
  const agent = routeTo(url, port).openAgent({ keepAlive: false, connectMs })
  const sent = (url.startsWith('https:') ? requestSecure : requestPlain)(url, { agent, signal, ...{ connectSignal: signal } }).end()
  const [response] = await once(sent, 'response')
  return `${response.statusCode} ${await text(response)}`
}

describe('an agent whose connections go through a proxy', () => {
  test('asks for plain addresses in absolute form, and for a tunnel to those with TLS, with the name and the password', async () => {
    const requested = proxy.requested.length
    assert.equal(await get('http://a.example/x?y=1'), '200 a.example /x?y=1')
    assert.equal(await get('https://a.example/x?y=1'), '200 a.example /x?y=1')
    assert.deepEqual(proxy.requested.slice(requested), ['GET http://a.example/x?y=1', 'CONNECT a.example:443'])
    assert.equal(proxy.login, `Basic ${Buffer.from('me:pa ss').toString('base64')}`)
  })

  test('keeps a connection for the next request', async () => {
    for (const url of ['http://a.example/', 'https://a.example/']) {
      using agent = { ...routeTo(url), agent: routeTo(url).openAgent({ keepAlive: true }), [Symbol.dispose]: () => agent.agent.destroy() }
      const before = sockets
      for (let round = 0; round < 2; round++) {
        const sent = (url.startsWith('https:') ? requestSecure : requestPlain)(url, { agent: agent.agent }).end()
        const [response] = await once(sent, 'response')
        const free = once(agent.agent, 'free')
        await text(response)
        await free
      }
      // The proxy of the tests opens one of its own for each plain request.
      if (url.startsWith('https:')) assert.equal(sockets - before, 1)
      assert.equal(Object.values(agent.agent.freeSockets).flat().length, 1)
    }
  })

  test('uses TLS to a proxy that requires it', async () => {
    await using front = await startSecureFront('localhost', proxy.port)
    const address = { url: `https://me:pa%20ss@localhost:${front.port}`, name: 'localhost' }
    const find = createProxyRoutes({ http: address, https: address, exceptions: [] })
    for (const url of ['http://a.example/x', 'https://a.example/x']) {
      const agent = find(new URL(url))?.openAgent({ keepAlive: false })
      const sent = (url.startsWith('https:') ? requestSecure : requestPlain)(url, { ...(agent && { agent }) }).end()
      const [response] = await once(sent, 'response')
      assert.equal(await text(response), 'a.example /x')
    }
  })

  test('does not keep the process alive with an idle connection', async () => {
    const script = `
      import { request } from 'node:https'
      import { createProxyRoutes } from '${new URL('find-proxy.ts', import.meta.url)}'
      const https = ${JSON.stringify(addressOf(proxy.port))}
      const agent = createProxyRoutes({ http: null, https, exceptions: [] })(new URL('https://a.example')).openAgent({ keepAlive: true })
      for (let round = 0; round < 2; round++)
        await new Promise((resolve) => {
          agent.once('free', resolve)
          request('https://a.example', { agent, rejectUnauthorized: false }, (response) => response.resume()).end()
        })
      console.log(Object.values(agent.freeSockets).flat().length)`
    const requested = proxy.requested.length
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
    assert.deepEqual([said, code, proxy.requested.length - requested], ['1\n', 0, 1])
  })

  for (const [refusal, expected] of [
    [
      '407 Proxy Authentication Required',
      /^The proxy 127\.0\.0\.1:\d+ requires a name and password .* set them in https-proxy \(HTTPS_PROXY\) as http:/,
    ],
    ['502 Bad Gateway', /^The proxy 127\.0\.0\.1:\d+ answered 502 to a request for a\.example:443;/],
    ['cut', /^The proxy 127\.0\.0\.1:\d+ closed the connection to a\.example:443;/],
  ] as const)
    test(`names the proxy that answers a wish for a tunnel with "${refusal}", without its password`, async () => {
      proxy.refusal = refusal
      using _again = { [Symbol.dispose]: () => (proxy.refusal = null) }
      await assert.rejects(get('https://a.example/'), (error) => {
        assert.ok(error instanceof ProxyFault)
        assert.match(error.message, expected)
        assert.doesNotMatch(error.message, /pa%20ss|pa ss/)
        return true
      })
    })

  test('names the proxy that is not there', async () => {
    const gone = await startForwardProxy({})
    await gone[Symbol.asyncDispose]()
    for (const url of ['http://a.example/', 'https://a.example/'])
      await assert.rejects(
        get(url, { port: gone.port }),
        /^Error: The proxy 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\); .* correct https?-proxy/,
      )
  })

  test('gives up on a silent proxy after the time limit, or at once when the caller leaves', async () => {
    proxy.refusal = 'silence'
    using _again = { [Symbol.dispose]: () => (proxy.refusal = null) }
    await assert.rejects(
      get('https://a.example/', { connectMs: 50 }),
      /The proxy 127\.0\.0\.1:\d+ did not connect to a\.example:443 within 0\.05 s/,
    )
    for (const url of ['http://a.example/', 'https://a.example/']) {
      const leave = new AbortController()
      const requested = proxy.requested.length
      const answer = get(url, { signal: leave.signal })
      while (proxy.requested.length === requested) await new Promise((resolve) => setImmediate(resolve))
      leave.abort(new Error('left'))
      await assert.rejects(answer, /left|aborted/)
    }
  })

  test('gives up on a server behind the proxy that does not start TLS', async () => {
    const silent = createSilentServer().listen(0, '127.0.0.1')
    using _closed = { [Symbol.dispose]: () => void silent.close() }
    await once(silent, 'listening')
    await using other = await startForwardProxy({ 'a.example:443': (silent.address() as AddressInfo).port })
    const expected = /did not connect to a\.example:443 within 0\.1 s/
    await assert.rejects(get('https://a.example/', { port: other.port, connectMs: 100 }), expected)
  })

  test('does not attribute errors of the server to the proxy', async () => {
    await assert.rejects(
      get('http://a.example:444/').then((answer) => Promise.reject(new Error(answer))),
      /502 no such host/,
    )
    const liar = await startSecureFront('other.example', 9)
    await using front = liar
    await using other = await startForwardProxy({ 'a.example:443': front.port })
    await assert.rejects(get('https://a.example/', { port: other.port }), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })
})
