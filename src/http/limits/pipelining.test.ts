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
    response.end(request.url)
  })
  limitPipelining(server, { unreadMs: 20 })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  try {
    client.write('GET /soon HTTP/1.1\r\nhost: x\r\n\r\nGET /late HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.equal(await sent.promise, 0, 'no time limit while the next answer is made')
    next.resolve()
    let text = ''
    for await (const chunk of client) {
      text += chunk
      if (text.includes('/late')) break
    }
    assert.ok(text.includes('/soon'))
  } finally {
    client.destroy()
    server.close()
  }
})
