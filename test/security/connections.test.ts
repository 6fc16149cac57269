import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { startHttpService } from '../support/http-service.ts'
import { exchange, openSocket, readUntil } from '../support/raw-exchange.ts'
import { readError } from '../support/read-json.ts'

const chat = '/v1/chat/completions'
const held = { model: 'fake-chat', messages: [{ role: 'user', content: '[hang]' }], stream: true }

suite('floods of connections', () => {
  test('connections are limited per address; the next one gets the reason, and its data is not read', async () => {
    await using service = await startHttpService({ settings: { listen: { connectionsPerAddress: 3 } } })
    const sockets = await Promise.all([1, 2, 3].map(() => openSocket(service.url)))
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    for (const socket of sockets) await readUntil(socket, /"ok"\}/)
    const refused = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.match(refused, /^HTTP\/1\.1 429 [\s\S]*retry-after: 5\r\n[\s\S]*"code":"concurrency_limit_exceeded"\}\}$/)
    await service.settled(3)
    assert.equal(service.finished.length, 3)
    const [first, ...others] = sockets
    first?.destroy()
    let answer = refused
    while (answer.startsWith('HTTP/1.1 429'))
      answer = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 200 /)
    for (const socket of others) socket.destroy()
  })

  test('connections are limited in total, which keeps file descriptors for the service', async () => {
    await using service = await startHttpService({ settings: { connectionsInAll: 2, listen: { trustedProxies: ['loopback'] } } })
    const sockets = await Promise.all([1, 2].map(() => openSocket(service.url)))
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    for (const socket of sockets) await readUntil(socket, /"ok"\}/)
    const refused = await exchange(service.url, 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    assert.match(refused, /^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n[\s\S]*"code":"server_is_overloaded"\}\}$/)
    for (const socket of sockets) socket.destroy()
  })

  test('a rejected connection closes even if its client keeps its half open', async () => {
    await using service = await startHttpService({ settings: { listen: { connectionsPerAddress: 1 } } })
    const sockets: Socket[] = []
    service.server.server.prependListener('connection', (socket: Socket) => sockets.push(socket))
    const { hostname, port } = new URL(service.url)
    const refuse = async (text: string) => {
      const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      client.on('error', () => {}).resume()
      await once(client, 'connect')
      client.write(text)
      await once(client, 'end')
      const socket = sockets.at(-1)
      if (socket?.closed === false) await once(socket, 'close')
      client.destroy()
    }
    await refuse('no request\r\n\r\n')
    const held = await openSocket(service.url)
    held.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    await readUntil(held, /"ok"\}/)
    await refuse('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
    held.destroy()
  })

  test('behind a trusted proxy requests are limited per client instead', async () => {
    await using service = await startHttpService({ settings: { listen: { connectionsPerAddress: 1, trustedProxies: ['loopback'] } } })
    const send = (forwardedFor: string, signal: AbortSignal = new AbortController().signal) =>
      service.fetch(chat, { json: held, headers: { 'x-forwarded-for': forwardedFor }, method: 'POST', signal })
    const leaving = new AbortController()
    const first = send('203.0.113.1', leaving.signal).catch(() => null)
    await service.received(1)
    const refused = await service.fetch('/healthz', { headers: { 'x-forwarded-for': '203.0.113.1' } })
    assert.deepEqual([refused.status, (await readError(refused)).code], [429, 'concurrency_limit_exceeded'])
    assert.equal((await service.fetch('/healthz', { headers: { 'x-forwarded-for': '203.0.113.2' } })).status, 200)
    leaving.abort()
    await first
  })

  test('sixteen pipelined requests are answered; with more the connection is closed and the rest ignored', async () => {
    await using service = await startHttpService()
    let takenApart = 0
    service.server.server.on('request', () => {
      takenApart += 1
    })
    const packet = (count: number) => 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(count)
    const patient = await openSocket(service.url)
    patient.write(packet(16))
    await readUntil(patient, /(?:"ok"\}[\s\S]*){16}/)
    patient.write(packet(1))
    await readUntil(patient, /"ok"\}/)
    patient.destroy()
    const flood = await openSocket(service.url)
    flood.on('error', () => {}).resume()
    const closed = once(flood, 'close')
    flood.write(packet(1500))
    await closed
    assert.equal((await service.fetch('/healthz')).status, 200)
    await service.settled(34)
    assert.equal(service.finished.length, 34)
    assert.ok(takenApart < 40, `${takenApart} requests were taken apart`)
  })

  test('heads have 15 seconds and whole requests five minutes; one that ends early has no effect', async () => {
    await using service = await startHttpService()
    assert.equal(service.server.server.headersTimeout, 15_000)
    assert.equal(service.server.server.requestTimeout, 300_000)
    const socket = await openSocket(service.url)
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n')
    socket.destroy()
    await once(socket, 'close')
    assert.deepEqual(service.failures, [])
  })
})
