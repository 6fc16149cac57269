import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { answerParserError } from './answer-parser-error.ts'

for (const [code, status] of [
  ['HPE_INVALID_METHOD', '400 Bad Request'],
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
  [undefined, '400 Bad Request'],
] as const) {
  test(`the parser error ${code} gets a complete ${status} response with a request id`, async () => {
    const socket = new PassThrough()
    answerParserError(Object.assign(new Error('Parse Error'), { code }), socket)
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n')
    assert.ok(head.startsWith(`HTTP/1.1 ${status}\r\n`))
    const id = /x-request-id: ([0-9a-f-]{36})/.exec(head)?.[1]
    assert.ok(id !== undefined && head.includes(`x-user-request-id: ${id}`))
    assert.ok(head.includes(`content-length: ${Buffer.byteLength(body)}`))
    assert.deepEqual(Object.keys(JSON.parse(body).error), ['message', 'type', 'param', 'code'])
  })
}

test('a reset connection gets no response', () => {
  const socket = new PassThrough()
  answerParserError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }), socket)
  assert.ok(socket.destroyed)
  assert.equal(socket.readableLength, 0)
})
