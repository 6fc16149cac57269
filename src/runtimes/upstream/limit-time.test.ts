import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { limitTime } from './limit-time.ts'

/** Longer than any test: the tests emit the timeout event themselves. */
const patient = { connectMs: 600_000, firstMs: 600_000, idleMs: 600_000 }

test('a slow reader does not count against the server; a server that stays silent after everything was read does', async () => {
  await using stack = new AsyncDisposableStack()
  const server = createServer((_, response) => void response.write('a beginning'))
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  stack.defer(() => void sent.destroy())
  limitTime(sent, patient, { isDueAtOnce: false })
  sent.end()
  const [response]: [IncomingMessage] = await (once(sent, 'response') as Promise<[IncomingMessage]>)
  await once(response, 'readable')
  for (const each of [sent, response]) each.on('error', () => undefined)
  const fallSilent = () => response.socket.emit('timeout')

  fallSilent()
  assert.equal(response.destroyed, false)
  assert.equal(`${response.read()}`, 'a beginning')

  fallSilent()
  assert.match(String(response.errored?.cause), /sent nothing for 600 s; raise `timeouts\.idle`/)
})
