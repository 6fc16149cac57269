import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { UpstreamTimeouts } from '../../src/core/model.ts'
import { ReplicaSet } from '../../src/runtimes/upstream/replicas/replica-set.ts'
import { UpstreamConnection } from '../../src/runtimes/upstream/upstream-connection.ts'
import { isOutOfReach, makeBrokenError } from '../../src/runtimes/upstream/upstream-error.ts'
import { makeAuthority } from '../support/cluster/make-certificates.ts'
import { startTextServer } from '../support/engines/text-server.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const patient: UpstreamTimeouts = { connectMs: 60_000, firstMs: 60_000, idleMs: 60_000 }
/** Disables health checks during a test. */
const probeMs = 2 ** 31 - 1

async function ask(connection: UpstreamConnection, body: unknown = {}): Promise<string> {
  return (await Array.fromAsync(await connection.send('/chat/completions', body, { signal }))).join('')
}

async function listen(server: Server, stack: AsyncDisposableStack): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

/** Whether the system sends keep-alive probes on the connection from that port. */
async function isWatched(port: number): Promise<boolean> {
  const ends = (await readFile('/proc/net/tcp', 'latin1')).split('\n').map((line) => line.trim().split(/\s+/))
  const end = ends.find(([, local]) => local === `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`)
  return end?.[5]?.startsWith('02:') === true
}

describe('connections to an upstream', { concurrency: true }, () => {
  test("the login of each server's address is sent if there is no key", async () => {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(await createTemporaryFolder())
    const keyFile = join(folder.path, 'key')
    await writeFile(keyFile, 'secret')
    const server = stack.use(await startTextServer())
    server.answer = (response) => response.end('done')
    const other = { url: `${server.url}/other`, login: 'you:word', weight: 1 }
    const sent: unknown[] = []
    for (const key of [null, keyFile]) {
      const address = { url: server.url, login: 'me:word', keyFile: key, model: 'm', slots: 1, replicas: [other] }
      const servers = stack.use(await ReplicaSet.open(address, { probeMs }))
      // The second is sent elsewhere while the first is under way.
      const one = (connection: UpstreamConnection) => ask(connection)
      await servers.ask('', async (first) => [await one(first), await servers.ask('', one, { signal })], { signal })
      sent.push(...server.requests.splice(0).map(({ headers }) => headers.authorization))
    }
    const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`
    assert.deepEqual(new Set(sent.slice(0, 2)), new Set([basic('me:word'), basic('you:word')]))
    assert.deepEqual(sent.slice(2), ['Bearer secret', 'Bearer secret'])
  })

  test('requests rejected together for an old key are all sent again with the new one', async () => {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(await createTemporaryFolder())
    const keyFile = join(folder.path, 'key')
    await writeFile(keyFile, 'old\r\n')
    const waiting: (() => void)[] = []
    const server = stack.use(await startTextServer())
    server.answer = (response) => {
      const { authorization } = server.requests.at(-1)?.headers ?? {}
      if (authorization === 'Bearer new') response.end('done')
      else waiting.push(() => response.writeHead(401).end('{}'))
      // One after the other, so that all others are refused when the first has read the new key.
      if (waiting.length === 5 || authorization === 'Bearer new') waiting.pop()?.()
    }
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile }))
    const asking = Array.from({ length: 5 }, () => ask(connection))
    await writeFile(keyFile, 'new\n')
    assert.deepEqual(await Promise.all(asking), Array(5).fill('done'))
  })

  test('a server that restarted with a new key gets it after closing old connections', async () => {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(await createTemporaryFolder())
    const keyFile = join(folder.path, 'key')
    await writeFile(keyFile, 'old')
    const server = stack.use(await startTextServer((response) => response.end('done')))
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile, timeouts: patient }))
    let old: Socket | null = null
    server.answer = (response) => {
      old = response.socket
      response.end('done')
    }
    await ask(connection)
    await new Promise(setImmediate) // a connection is free once the end of its answer was read
    server.answer = (response) => {
      if (response.socket === old) response.socket?.destroy()
      else if (server.requests.at(-1)?.headers.authorization === 'Bearer new') response.end('done')
      else response.writeHead(401).end('{}')
    }
    await writeFile(keyFile, 'new')
    assert.equal(await ask(connection), 'done')
  })

  test('a request that finds every kept-alive connection closed uses a new one', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer((response) => response.end('done')))
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts: patient }))
    const old = new Set<Socket>()
    // They are answered together, so that each has a connection of its own.
    const waiting: (() => void)[] = []
    server.answer = (response) => {
      if (response.socket !== null) old.add(response.socket)
      waiting.push(() => response.end('done'))
      if (waiting.length === 4) for (const answer of waiting) answer()
    }
    await Promise.all(Array.from({ length: 4 }, () => ask(connection)))
    await new Promise(setImmediate) // a connection is free once the end of its answer was read
    server.answer = (response) => {
      if (response.socket !== null && old.has(response.socket)) response.socket.destroy()
      else response.end('done')
    }
    assert.equal(await ask(connection), 'done')
  })

  test('a server that sends only headers, as vLLM does before its first token, keeps its time for the first byte', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(
      await startTextServer((response) => {
        response.flushHeaders()
        response.setTimeout(500).once('timeout', () => response.write('first'))
      }),
    )
    const timeouts = { ...patient, idleMs: 100 }
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts }))
    const pieces = (await connection.send('/chat/completions', {}, { signal }))[Symbol.asyncIterator]()
    assert.equal((await pieces.next()).value, 'first')
    // From now on it is late.
    await assert.rejects(pieces.next(), { code: 'inference_failed' })
  })

  test('a server that sends nothing after its headers times out', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer((response) => response.flushHeaders()))
    for (const idleMs of [100, 60_000]) {
      const timeouts = { ...patient, firstMs: 300, idleMs }
      const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts }))
      // The cause names the limit that is over.
      await assert.rejects(ask(connection), (error: Error) => /within 0\.3 s; raise `timeouts\.first`/.test(String(error.cause)))
    }
  })

  test('a server that sends endless 102 responses times out', { timeout: 300_000 }, async (context) => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(
      await startTextServer((response) => {
        const saying = setInterval(() => response.writeProcessing(), 20)
        const end = (): void => clearInterval(saying)
        response.once('close', end)
        context.signal.addEventListener('abort', end)
      }),
    )
    const timeouts = { ...patient, firstMs: 300, idleMs: 100 }
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts }))
    await assert.rejects(ask(connection), (error: Error) => /within 0\.3 s; raise `timeouts\.first`/.test(String(error.cause)))
  })

  test('data sent before a connection broke is read, however late', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startTextServer())
    server.answer = (response) => response.write('Once upon a time, ', () => response.write('é'.repeat(999), () => response.destroy()))
    using connection = await UpstreamConnection.open({ url: server.url, keyFile: null })
    const pieces = await connection.send('/chat/completions', {}, { signal })
    // A closed connection is no longer among the open ones.
    while (connection.bytesRead > 0) await nextTurn()
    let read = ''
    await assert.rejects(async () => {
      for await (const piece of pieces) read += piece
    }, makeBrokenError('broke off its answer'))
    assert.equal(read, `Once upon a time, ${'é'.repeat(999)}`)
  })

  test('a server without a time limit has none after its headers either', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(
      await startTextServer((response) => {
        response.flushHeaders()
        response.setTimeout(500, () => response.end('first'))
      }),
    )
    const timeouts = { ...patient, firstMs: null, idleMs: 100 }
    const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null, timeouts }))
    assert.equal(await ask(connection), 'first')
  })

  test('a server with an untrusted certificate counts as out of reach, and the reason is reported', async () => {
    await using stack = new AsyncDisposableStack()
    const folder = stack.use(await createTemporaryFolder())
    const files = await makeAuthority(folder.path, 'localhost')
    const [key, cert] = await Promise.all([readFile(files.key), readFile(files.certificate)])
    const port = await listen(createSecureServer({ key, cert }), stack)
    const reported: string[] = []
    const upstream = { url: `https://127.0.0.1:${port}/v1`, model: 'm', keyFile: null, slots: 1, timeouts: patient }
    using servers = await ReplicaSet.open(upstream, { probeMs, onChange: ({ reason }) => void reported.push(reason) })
    await assert.rejects(servers.ask('', ask, { signal }), (error) => isOutOfReach(error))
    assert.match(reported.join(), /cannot be reached: its certificate is not trusted; .*NODE_EXTRA_CA_CERTS.*: self-signed certificate/)
  })

  test('a server that accepts a connection without TLS times out like one that accepts none', async () => {
    await using stack = new AsyncDisposableStack()
    const port = await listen(createServer(), stack)
    const timeouts = { ...patient, connectMs: 100 }
    const connection = stack.use(await UpstreamConnection.open({ url: `https://127.0.0.1:${port}/v1`, keyFile: null, timeouts }))
    await assert.rejects(ask(connection), (error) => isOutOfReach(error))
  })

  for (const isRepeatable of [true, false])
    test(`the system detects a dead machine, whatever the time limit (${isRepeatable ? 'kept connections' : 'one for a drawing'})`, {
      skip: process.platform !== 'linux',
      timeout: 300_000,
    }, async (context) => {
      await using stack = new AsyncDisposableStack()
      const server = stack.use(await startTextServer())
      const requested = Promise.withResolvers<ServerResponse>()
      server.answer = requested.resolve
      const connection = stack.use(await UpstreamConnection.open({ url: server.url, keyFile: null }))
      const body = { type: 'application/json', bytes: '{}' }
      const answer = connection.exchange('/draw', body, { signal, mostBytes: 10, isDueAtOnce: false, isRepeatable })
      const response = await requested.promise
      while (!(await isWatched(response.socket?.remotePort ?? 0))) context.signal.throwIfAborted()
      response.end('done')
      assert.equal(`${await answer}`, 'done')
    })

  test('IPv6 addresses work', async (context) => {
    await using stack = new AsyncDisposableStack()
    const server = createServer((socket) => socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\ndone')))
    server.listen(0, '::1')
    const reached = await Promise.race([once(server, 'listening').then(() => true), once(server, 'error').then(() => false)])
    if (!reached) return context.skip('no IPv6 here')
    stack.defer(() => void server.close())
    const { port } = server.address() as AddressInfo
    const connection = stack.use(await UpstreamConnection.open({ url: `http://[::1]:${port}/v1`, keyFile: null, timeouts: patient }))
    assert.equal(await ask(connection), 'done')
  })
})
