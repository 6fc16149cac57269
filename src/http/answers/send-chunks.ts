import type { FastifyReply } from 'fastify'
import type { Clock } from '../../core/ports/clock.ts'
import { captureOf } from '../body-log.ts'
import { clientSignal } from '../client-signal.ts'
import { plainHeaders } from './send-events.ts'
import { dropReader, ReaderIdle, writeChunk } from './write-chunk.ts'

/** An answer whose length is known before it is sent. */
export interface ChunkedAnswer {
  readonly contentType: string
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/**
 * Sends an answer piece by piece, no faster than the client reads; a client that reads nothing for 30 seconds loses it. Resolves when it is over.
 *
 * @param deps.onFailure Called with the reason of an early end; the status is out already, and the connection ends.
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
        await writeChunk({ raw, clock }, chunk, { signal })
      }
    raw.end()
  } catch (error) {
    if (error instanceof ReaderIdle) dropReader(raw)
    else if (!signal.aborted) onFailure(error)
    // Fewer bytes than were announced are an error to every client.
    raw.destroy()
  }
}
