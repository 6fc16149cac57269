import { randomUUID } from 'node:crypto'
import { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { requestIdHeaders } from '../headers/request-id.ts'

interface ParserFault {
  readonly status: string
  readonly message: string
}

const fallback: ParserFault = { status: '400 Bad Request', message: 'Send a well-formed HTTP/1.1 request.' }
const faults: Readonly<Record<string, ParserFault>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', message: 'Send fewer or shorter headers.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'Send the whole request faster.' },
}

/** Answers a connection whose bytes never became a request, in the same shape as every other error. */
export function answerParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const { status, message } = faults[error.code ?? ''] ?? fallback
  const body = JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' } })
  const id = randomUUID()
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      ...requestIdHeaders.map((name) => `${name}: ${id}`),
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'x-content-type-options: nosniff',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

/** Whether an answer to an earlier request is on its way, which more bytes would corrupt; only Node's own field tells. */
function isAnswering(socket: Duplex): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage')
  return answer instanceof ServerResponse && answer.headersSent
}
