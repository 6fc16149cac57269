import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { UpstreamTimeouts } from '../../core/model.ts'
import { limitTime } from './limit-time.ts'

/** Longer than any test: the tests emit the timeout event themselves. */
const patient = { connectMs: 600_000, firstMs: 600_000, idleMs: 600_000 }

/** Sends a request under these limits to a server that answers with `beginning`, and returns the response once its headers are there. */
async function openResponse(stack: AsyncDisposableStack, timeouts: UpstreamTimeouts, beginning?: string): Promise<IncomingMessage> {
  const server = createServer((_, response) => {
    response.flushHeaders()
    if (beginning !== undefined) response.write(beginning)
  })
  stack.defer(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  stack.defer(() => void sent.destroy())
  limitTime(sent, timeouts, { isDueAtOnce: false, startedAt: performance.now() })
  sent.end()
  const [response]: [IncomingMessage] = await (once(sent, 'response') as Promise<[IncomingMessage]>)
  for (const each of [sent, response]) each.on('error', () => undefined)
  return response
}

test('a slow reader does not count against the server; a server that stays silent after everything was read does', async () => {
  await using stack = new AsyncDisposableStack()
  const response = await openResponse(stack, patient, 'a beginning')
  await once(response, 'readable')
  const fallSilent = () => response.socket.emit('timeout')

  fallSilent()
  assert.equal(response.destroyed, false)
  assert.equal(`${response.read()}`, 'a beginning')

  fallSilent()
  assert.match(String(response.errored?.cause), /sent nothing for 600 s; raise `timeouts\.idle`/)
})

test('a timer that is early by a moment waits for the rest of it', async (context) => {
  await using stack = new AsyncDisposableStack()
  const times: number[] = []
  let now = 0
  context.mock.method(performance, 'now', () => times.shift() ?? now)
  const response = await openResponse(stack, { ...patient, idleMs: 900_000 })
  // The limit passes while the timer is looked at.
  times.push(patient.firstMs - 0.5)
  now = patient.firstMs + 0.5
  response.socket.emit('timeout')
  assert.equal(response.destroyed, false)
  response.socket.emit('timeout')
  assert.match(String(response.errored?.cause), /within 600 s; raise `timeouts\.first`/)
})
