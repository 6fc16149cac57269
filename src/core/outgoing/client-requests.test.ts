import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { answerTo, limitInterimResponses, outliveErrors } from './client-requests.ts'

const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
const flood = interim.repeat(100)
const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n'
const badChunk = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n'

/** Sends a request to a server that answers with these bytes at once and then closes; returns it once its connection is gone. */
async function send(bytes: string, observe: (sent: ReturnType<typeof request>) => void): Promise<void> {
  await using server = createServer(({ socket }) => void socket.end(bytes))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sent = request({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' })
  const closed = new Promise((resolve) => sent.once('socket', (socket) => socket.once('close', resolve)))
  observe(sent)
  sent.end()
  await closed
}

for (const [answer, bytes, outcome] of [
  ['a final response', `${interim}HTTP/1.1 204 No Content\r\n\r\n`, 204],
  ['an upgrade', upgrade, 101],
  ['too many interim responses', flood, /sent interim responses and no final one/],
  ['nonsense after too many interim responses', `${flood}nonsense\r\n\r\n`, /Parse Error/],
  ['an upgrade after too many interim responses', flood + upgrade, 101],
  ['a broken chunk after too many interim responses', flood + badChunk, 200],
] as const)
  test(`a server that sends ${answer} has one outcome, and ends no more than its request`, async () => {
    let answered: Promise<unknown> | undefined
    await send(bytes, (sent) => {
      limitInterimResponses(sent)
      answered = answerTo<IncomingMessage>(sent).then(
        ({ statusCode }) => statusCode,
        ({ message }) => message,
      )
    })
    const found = await answered
    if (typeof outcome === 'number') assert.equal(found, outcome)
    else assert.match(String(found), outcome)
  })

for (const [after, bytes] of [
  ['nonsense', `${interim}nonsense\r\n\r\n`],
  ['an upgrade', interim + upgrade],
  ['a broken chunk', interim + badChunk],
] as const)
  test(`a request that is given up just before ${after} arrives ends no more than itself`, async () => {
    const errors: string[] = []
    await send(bytes, (sent) => {
      outliveErrors(sent)
      sent.once('error', ({ message }) => errors.push(message))
      sent.once('upgrade', (_, socket) => socket.destroy())
      sent.once('information', () => void sent.destroy(new Error('given up')))
    })
    assert.equal(errors.length, after === 'an upgrade' ? 0 : 1)
  })
