import { randomUUID } from 'node:crypto'
import { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ErrorCode } from '../../core/error.ts'
import { toErrorObject } from '../faults/error-body.ts'
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

/** Answers a connection that did not send a valid HTTP request, in the same shape as every other error. */
export function answerParserError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  writeRefusal(socket, { ...(faults[error.code ?? ''] ?? fallback), code: 'invalid_request_error' })
}

/** Time for a refused connection to read the reason and to end its half. */
const refusalMs = 1000

/** Answers and ends a connection that has no current request, in the same shape as every other error. */
export function writeRefusal(
  socket: Duplex,
  { status, message, code, retryAfterSeconds }: ParserFault & { readonly code: ErrorCode; readonly retryAfterSeconds?: number },
): void {
  const body = JSON.stringify({ error: toErrorObject({ code, message, param: null }) })
  const id = randomUUID()
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      ...requestIdHeaders.map((name) => `${name}: ${id}`),
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
      'x-content-type-options: nosniff',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  )
  setTimeout(() => socket.destroy(), refusalMs).unref()
}

/** Whether an answer to an earlier request is being sent, which further bytes would corrupt. Only Node's internal field shows this. */
function isAnswering(socket: Duplex): boolean {
  const answer: unknown = Reflect.get(socket, '_httpMessage')
  return answer instanceof ServerResponse && answer.headersSent
}
