import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { limitPipelining } from '../limits/pipelining.ts'
import { Pings } from './early-events.ts'
import { dropReader, sendEvents } from './send-events.ts'

test('a slow reader on a Unix socket, which cannot be reset, is disconnected too', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-drop-'))
  context.after(() => rm(folder, { recursive: true }))
  const faults: unknown[] = []
  const server = createServer((_, response) => {
    try {
      response.write('the beginning')
      dropReader(response)
    } catch (error) {
      faults.push(error)
      response.destroy()
    }
  })
  await using _ = server
  const socketPath = join(folder, 'socket')
  await once(server.listen(socketPath), 'listening')
  const closed = Promise.withResolvers<void>()
  const request = get({ socketPath })
  request.on('error', () => {})
  request.on('close', closed.resolve)
  await closed.promise
  assert.deepEqual(faults, [])
})

for (const [next, timeout] of [
  ['', 1000],
  ['GET /late HTTP/1.1\r\nhost: x\r\n\r\n', 0],
] as const)
  test(`after a failed stream, the connection ${next === '' ? 'waits one second for the next request' : 'stays open until the next request is answered'}`, async () => {
    const limit = Promise.withResolvers<number | undefined>()
    // biome-ignore lint/correctness/useYield: it fails before its first event.
    const failing = async function* (): AsyncGenerator<string> {
      throw new Error('the model failed')
    }
    const server = fastify({ forceCloseConnections: true })
    await using _ = server
    limitPipelining(server.server)
    server.get('/', async (request, reply) => {
      reply.raw.once('close', () => limit.resolve(request.raw.socket.timeout ?? 0))
      await sendEvents({ clock: createTestClock(), onFailure: () => {} }, reply, failing(), { ping: null })
    })
    server.get('/late', () => new Promise(() => {}))
    await server.listen({ host: '127.0.0.1', port: 0 })
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
    client.on('error', () => {}).resume()
    client.write(`GET / HTTP/1.1\r\nhost: x\r\n\r\n${next}`)
    assert.equal(await limit.promise, timeout)
    client.destroy()
  })

for (const [version, wire] of [
  ['1.1', '7\r\nfirst\n\n\r\n8\r\nsecond\n\n\r\n0\r\n\r\n'],
  ['1.0', 'first\n\nsecond\n\n'],
] as const)
  test(`an event for a client of HTTP/${version} is one write to its socket`, async () => {
    let writes = 0
    const events = async function* (socket: Socket): AsyncGenerator<string> {
      const write = socket.write.bind(socket)
      socket.write = (...given: unknown[]) => {
        writes++
        return Reflect.apply(write, socket, given)
      }
      yield 'first\n\n'
      yield ''
      yield 'second\n\n'
      socket.write = write
    }
    const server = fastify({ forceCloseConnections: true })
    await using _ = server
    server.get('/', (request, reply) =>
      sendEvents({ clock: createTestClock(), onFailure: () => {} }, reply, events(request.raw.socket), { ping: null }),
    )
    await server.listen({ host: '127.0.0.1', port: 0 })
    const client = connect((server.server.address() as AddressInfo).port, '127.0.0.1')
    client.write(`GET / HTTP/${version}\r\nhost: x\r\nconnection: close\r\n\r\n`)
    const answer = await text(client)
    assert.equal(answer.slice(answer.indexOf('\r\n\r\n') + 4), wire)
    assert.equal(writes, 2)
  })

test('a silent stream gets its pings in time, also while the time of the system is set', async () => {
  const clock = createTestClock()
  let written = 0
  const write = () => {
    written += 1
  }
  using _pings = new Pings({ clock, write }, { text: ': ping' })
  const counts: number[] = []
  for (const hours of [1, -1, 1]) {
    clock.jump(clock.now() + hours * 3_600_000)
    await clock.advance(2000)
    counts.push(written)
  }
  assert.deepEqual(counts, [0, 0, 1])
})
