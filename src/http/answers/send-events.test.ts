import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fastify } from 'fastify'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { limitPipelining } from '../limits/pipelining.ts'
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
