import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, suite, test } from 'node:test'
import { ServiceError } from '../../src/core/error.ts'
import type { UpstreamTimeouts } from '../../src/core/model.ts'
import { createProxyRoutes } from '../../src/outgoing/find-proxy.ts'
import { describeFakeText } from '../../src/runtimes/fake/fake-catalog.ts'
import { loadUpstreamModel } from '../../src/runtimes/upstream/load-upstream-model.ts'
import { reasonOf } from '../../src/runtimes/upstream/server-watch.ts'
import { UpstreamConnection } from '../../src/runtimes/upstream/upstream-connection.ts'
import { isOutOfReach } from '../../src/runtimes/upstream/upstream-error.ts'
import { openAiEvents, startTextServer, type TextServer, works } from '../support/engines/text-server.ts'
import { type ForwardProxyServer, startForwardProxy } from '../support/network/forward-proxy.ts'
import { startSecureFront } from '../support/network/secure-front.ts'
import { makeTextRequest } from '../support/text-request.ts'

const { signal } = new AbortController()
const patient: UpstreamTimeouts = { connectMs: 60_000, firstMs: 60_000, idleMs: 60_000 }
/** Disables health checks during a test. */
const probeMs = 2 ** 31 - 1
const stack = new AsyncDisposableStack()
let [server, proxy]: [TextServer, ForwardProxyServer] = [Object(), Object()]

function findRoute(address: URL) {
  const named = { url: `http://me:secret@127.0.0.1:${proxy.port}`, name: `127.0.0.1:${proxy.port}` }
  return createProxyRoutes({ http: named, https: named, exceptions: [] })(address)
}

async function open(url: string, timeouts = patient): Promise<UpstreamConnection> {
  return UpstreamConnection.open({ url, keyFile: null, timeouts, findRoute })
}

async function ask(connection: UpstreamConnection, options = { signal }): Promise<string> {
  return (await Array.fromAsync(await connection.send('/chat/completions', {}, options))).join('')
}

/** Why it failed, as its operator reads it. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    return `answered ${await call}`
  } catch (error) {
    const reason = reasonOf(error)
    assert.doesNotMatch(reason, /secret/)
    return reason
  }
}

suite('text servers behind a proxy', () => {
  before(async () => {
    server = stack.use(await startTextServer())
    const port = Number(new URL(server.url).port)
    const front = stack.use(await startSecureFront('llm.example', port))
    proxy = stack.use(await startForwardProxy({ 'llm.example': port, 'llm.example:443': front.port }))
  })
  beforeEach(() => {
    server.answer = works
    proxy.refusal = null
    proxy.refusalHeaders = {}
    proxy.requested.splice(0)
  })
  after(() => stack.disposeAsync())

  for (const [origin, requested] of [
    ['http://llm.example', ['GET http://llm.example/v1/models', 'POST http://llm.example/v1/chat/completions']],
    ['https://llm.example', ['CONNECT llm.example:443']],
  ] as const)
    describe(`a model at ${origin}, behind a proxy`, () => {
      test('streams its answer through it', async () => {
        const upstream = { url: `${origin}/v1`, model: 'm', keyFile: null, slots: 1, timeouts: patient }
        await using loaded = await loadUpstreamModel(describeFakeText({ format: 'openai', upstream }), { signal, probeMs, findRoute })
        const more = Promise.withResolvers<void>()
        server.answer = async (response) => {
          response.write(openAiEvents.slice(0, 3).join(''))
          await more.promise
          response.end(openAiEvents.slice(3).join(''))
        }
        let words = ''
        for await (const part of loaded.model.generate(makeTextRequest('hello'), { signal, account: 'a' })) {
          if (part.type === 'text') words += part.text
          // The rest comes only when the first part is here.
          more.resolve()
        }
        assert.equal(words, 'well done')
        assert.deepEqual(proxy.requested, requested)
        assert.equal(server.requests.at(-1)?.headers['proxy-authorization'], undefined)
      })

      test('is distinguished from its proxy in errors, which name the proxy', async () => {
        const reported = `127.0.0.1:${proxy.port}`
        using connection = await open(`${origin}/v1`)
        server.answer = (response) => response.writeHead(500).end()
        assert.match(await failureOf(ask(connection)), new RegExp(`The upstream answered 500 at .*\\(over the proxy ${reported}\\)`))
        server.answer = (response) => void response.write('half')
        const cut = async (): Promise<void> => {
          for await (const _half of await connection.send('/chat/completions', {}, { signal })) proxy.cut()
        }
        assert.match(await failureOf(cut()), new RegExp(`The upstream broke off its answer \\(over the proxy ${reported}\\)`))
        proxy.refusal = '502 Bad Gateway'
        assert.match(await failureOf(ask(connection)), new RegExp(`${reported}.*answered 502|answered 502.*${reported}`))
        proxy.refusal = 'cut'
        assert.match(await failureOf(ask(connection)), new RegExp(reported))
      })

      test('is out of reach if the proxy requires a login', async () => {
        proxy.refusal = '407 Proxy Authentication Required'
        using connection = await open(`${origin}/v1`)
        const failure = await ask(connection).catch((error: unknown) => error)
        assert.ok(isOutOfReach(failure))
        const reported = `^The upstream cannot be reached: The proxy 127\\.0\\.0\\.1:${proxy.port} requires a name and password or rejects the given ones \\(407\\)`
        assert.match(reasonOf(failure), new RegExp(reported))
      })

      test('gets a request again if the proxy closed the kept connection', async () => {
        using connection = await open(`${origin}/v1`)
        server.answer = (response) => response.end('done')
        assert.equal(await ask(connection), 'done')
        proxy.cut()
        assert.equal(await ask(connection), 'done')
      })

      test('gets unrepeatable requests over a new connection, also through the proxy', async () => {
        using connection = await open(`${origin}/v1`)
        server.answer = (response) => response.end('done')
        const once = { signal, mostBytes: 100, isDueAtOnce: false, isRepeatable: false }
        for (let round = 1; round <= 2; round++) {
          assert.equal(String(await connection.exchange('/x', { type: 'text/plain', bytes: 'x' }, once)), 'done')
          assert.equal(proxy.requested.length, round)
        }
      })

      test('times out or can be cancelled if the proxy sends nothing', async () => {
        proxy.refusal = 'silence'
        using hasty = await open(`${origin}/v1`, { connectMs: 50, firstMs: 100, idleMs: 100 })
        assert.match(await failureOf(ask(hasty)), new RegExp(`127\\.0\\.0\\.1:${proxy.port}`))
        using connection = await open(`${origin}/v1`)
        const leave = new AbortController()
        proxy.requested.splice(0)
        const answer = ask(connection, { signal: leave.signal })
        while (proxy.requested.length === 0) await new Promise((resolve) => setImmediate(resolve))
        leave.abort(new Error('left'))
        await assert.rejects(answer, { message: 'left' })
      })

      test('is out of reach while the proxy is down, so that the request counts as not started', async () => {
        const gone = await startForwardProxy({})
        await gone[Symbol.asyncDispose]()
        const named = { url: `http://me:secret@127.0.0.1:${gone.port}`, name: `127.0.0.1:${gone.port}` }
        const routes = createProxyRoutes({ http: named, https: named, exceptions: [] })
        using connection = await UpstreamConnection.open({ url: `${origin}/v1`, keyFile: null, findRoute: routes })
        const failure = await ask(connection).catch((error: unknown) => error)
        assert.ok(isOutOfReach(failure))
        assert.match(
          reasonOf(failure),
          new RegExp(`^The upstream cannot be reached: The proxy 127\\.0\\.0\\.1:${gone.port} cannot be reached \\(ECONNREFUSED\\)`),
        )
      })

      test('opens a WebSocket through it', async () => {
        const socketServer = createServer()
        socketServer.on('upgrade', (_request, socket) => {
          socket.on('error', () => {})
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello')
        })
        await once(socketServer.listen(0, '127.0.0.1'), 'listening')
        await using parts = new AsyncDisposableStack()
        parts.defer(() => void socketServer.close())
        const { port } = socketServer.address() as AddressInfo
        const front = parts.use(await startSecureFront('comfy.example', port))
        const other = parts.use(await startForwardProxy({ 'comfy.example': port, 'comfy.example:443': front.port }))
        const named = { url: `http://127.0.0.1:${other.port}`, name: `127.0.0.1:${other.port}` }
        const routes = createProxyRoutes({ http: named, https: named, exceptions: [] })
        const url = origin.replace('llm', 'comfy')
        using connection = await UpstreamConnection.open({ url, keyFile: null, findRoute: routes })
        const socket = await connection.openSocket('/ws', { signal })
        const [hello] = await once(socket, 'data')
        assert.equal(String(hello), 'hello')
        assert.equal(other.requested.length, 1)
        socket.destroy()
      })
    })

  test('a server on this machine, or one excluded from the proxy, is reached directly', async () => {
    using connection = await open(server.url)
    server.answer = (response) => response.end('done')
    assert.equal(await ask(connection), 'done')
    assert.deepEqual(proxy.requested, [])
  })

  for (const [headers, outOfReach, reason] of [
    [{ 'x-squid-error': 'ERR_CONNECT_FAIL 111' }, true, 'ERR_CONNECT_FAIL 111'],
    [{ 'x-squid-error': 'ERR_READ_TIMEOUT 0' }, false, 'ERR_READ_TIMEOUT 0'],
    [{ 'proxy-status': 'edge.example; error=connection_refused' }, true, 'connection_refused'],
    [{ server: 'tinyproxy/1.11.1' }, false, 'answered 503 itself'],
  ] as const)
    test(`a proxy's own 503 with ${JSON.stringify(headers)} does not count as a busy server`, async () => {
      proxy.refusal = '503 Service Unavailable'
      proxy.refusalHeaders = headers
      using connection = await open('http://llm.example/v1')
      const failure = await ask(connection).catch((error: unknown) => error)
      assert.equal(isOutOfReach(failure), outOfReach)
      assert.ok(failure instanceof ServiceError && failure.code === 'inference_failed')
      assert.ok(reasonOf(failure).includes(reason), reasonOf(failure))
      assert.ok(reasonOf(failure).includes(`The proxy 127.0.0.1:${proxy.port}`), reasonOf(failure))
    })

  test("a server's own 503 behind a proxy counts as a busy server", async () => {
    server.answer = (response) => response.writeHead(503, { via: '1.1 proxy', 'retry-after': '2' }).end()
    using connection = await open('http://llm.example/v1')
    await assert.rejects(ask(connection), { code: 'server_is_overloaded', retryAfterSeconds: 2 })
  })
})
