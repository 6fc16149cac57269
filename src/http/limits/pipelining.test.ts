import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { limitPipelining } from './pipelining.ts'

test('a client that does not read complete answers is disconnected', async () => {
  const server = createServer((_request, response) => void response.end(Buffer.alloc(2 * 1024 * 1024)))
  limitPipelining(server, { unreadMs: 100 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const accepted = once(server, 'connection')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    client
      .pause()
      .on('error', () => {})
      .write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(16))
    const [socket] = await accepted
    await once(socket, 'close')
    assert.ok(socket.destroyed)
  } finally {
    client.destroy()
    server.close()
  }
})

test('a connection stays open while its next answer is being prepared', async () => {
  const next = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<number | undefined>()
  const server = createServer(async (request, response) => {
    if (request.url === '/late') await next.promise
    else response.once('finish', () => sent.resolve(request.socket.timeout))
    // More than the system takes at once.
    response.end(request.url === '/late' ? '/late' : Buffer.alloc(32 * 1024 * 1024))
  })
  limitPipelining(server, { unreadMs: 60_000 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const readLate = async () => {
    let end = ''
    for await (const chunk of client) {
      end = (end + chunk.toString('latin1')).slice(-10)
      if (end.includes('/late')) break
    }
    return end
  }
  try {
    client.write('GET /soon HTTP/1.1\r\nhost: x\r\n\r\nGET /late HTTP/1.1\r\nhost: x\r\n\r\n')
    const read = readLate()
    assert.equal(await sent.promise, 0, 'no time limit while the next answer is made')
    next.resolve()
    assert.ok((await read).includes('/late'))
  } finally {
    client.destroy()
    server.close()
  }
})
