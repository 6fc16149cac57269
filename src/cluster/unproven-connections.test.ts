import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { UnprovenConnections } from './node-tls.ts'

test('beyond the limit of unauthenticated connections, the oldest is closed', async () => {
  const unproven = new UnprovenConnections()
  const sockets: Socket[] = []
  await using server = createServer((socket) => {
    sockets.push(socket)
    unproven.add(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clients: Socket[] = []
  const open = async () => {
    const accepted = once(server, 'connection')
    clients.push(connect(port, '127.0.0.1').on('error', () => {}))
    await accepted
  }
  for (let count = 0; count < 128; count++) await open()
  const [node, oldest, next] = sockets
  assert.ok(node !== undefined && oldest !== undefined)
  unproven.prove(node)
  await open()
  assert.equal(oldest.destroyed, false)
  await open()
  assert.deepEqual([node.destroyed, oldest.destroyed, next?.destroyed], [false, true, false])
  for (const client of clients) client.destroy()
})
