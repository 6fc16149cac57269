import type { FastifyReply } from 'fastify'
import type { Clock } from '../../core/ports/clock.ts'
import { captureOf } from '../body-log.ts'
import { clientSignal } from '../client-signal.ts'
import { dropReader, plainHeaders, ReaderIdle, roomFor } from './send-events.ts'

/** An answer of known length. */
export interface ChunkedAnswer {
  readonly contentType: string
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/**
 * Sends an answer in chunks, no faster than the client reads, and resolves when it has ended. A client that reads nothing for 30 seconds is
 * disconnected.
 *
 * @param deps.onFailure Called with the reason when the answer ends early. The status is already sent then, and the connection is closed.
 */
export async function sendChunks(
  { clock, onFailure }: { readonly clock: Clock; readonly onFailure: (error: unknown) => void },
  reply: FastifyReply,
  { contentType, bytes, chunks }: ChunkedAnswer,
): Promise<void> {
  const signal = clientSignal(reply)
  reply.hijack()
  const { raw } = reply
  raw.writeHead(reply.statusCode, { ...plainHeaders(reply), 'content-type': contentType, 'content-length': bytes })
  const capture = captureOf(reply.request)
  capture?.describe('answer', { path: null, contentType, status: reply.statusCode })
  try {
    if (reply.request.method !== 'HEAD')
      for await (const chunk of chunks) {
        capture?.add('answer', chunk)
        if (!raw.write(chunk)) await roomFor({ raw, clock }, { signal })
      }
    raw.end()
  } catch (error) {
    if (error instanceof ReaderIdle) dropReader(raw)
    else if (!signal.aborted) onFailure(error)
    // Clients report an error when fewer bytes arrive than Content-Length states.
    raw.destroy()
  }
}
