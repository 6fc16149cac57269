import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Clock } from '../../core/ports/clock.ts'
import { type Abortable, firstOf } from '../../core/waiting.ts'
import { captureOf } from '../body-log.ts'
import { clientSignal } from '../client-signal.ts'
import { type Ping, Pings } from './early-events.ts'

const eventStream = 'text/event-stream; charset=utf-8'

/** How long a connection stays open after a stream that failed. */
const afterFailureMs = 1000

/** The format of a stream's events. */
interface EventForm {
  /** Media type of lines, or of events in another format. */
  readonly contentType?: string | undefined
  /** null = nothing may stand between the events. */
  readonly ping: Ping | null
}

/**
 * Sends server-sent events, one whole event per write, no faster than the client reads.
 *
 * Resolves when the stream has ended: complete, failed, or because the client left or read nothing for 30 seconds. A failure also closes the
 * connection, unless the client sends its next request within {@link afterFailureMs}: a client may use the connection again as soon as it has the whole answer.
 *
 * @param deps.onFailure Called with the reason of an early end; the answer's status is out already.
 */
export async function sendEvents(
  { clock, onFailure }: { readonly clock: Clock; readonly onFailure: (error: unknown) => void },
  reply: FastifyReply,
  events: AsyncGenerator<string>,
  { contentType = eventStream, ping }: EventForm,
): Promise<void> {
  const signal = clientSignal(reply)
  reply.hijack()
  const { raw } = reply
  let failed = false
  let pings: Pings | null = null
  let isChunked = false
  const capture = captureOf(reply.request)
  capture?.describe('answer', { path: null, contentType, status: 200 })
  try {
    raw.writeHead(200, {
      ...plainHeaders(reply),
      'content-type': contentType,
      'cache-control': 'no-cache, no-transform',
      // Proxies such as nginx buffer events without it.
      'x-accel-buffering': 'no',
    })
    isChunked = raw.chunkedEncoding
    const write = eventWriter(raw)
    // Data that the client has not read yet keeps the connection alive as well.
    const writePing = (text: string) => void (raw.writableNeedDrain || write(text))
    pings = ping && new Pings({ clock, write: writePing }, ping)
    for await (const event of events) {
      capture?.add('answer', event)
      pings?.noteEvent()
      if (!write(event)) await roomFor({ raw, clock }, { signal })
    }
  } catch (error) {
    failed = true
    if (error instanceof ReaderIdle) dropReader(raw)
    else if (!signal.aborted && !raw.destroyed) onFailure(error)
  } finally {
    pings?.[Symbol.dispose]()
    const { socket } = raw
    // Without a time limit, the next request is there already, and its answer may take longer.
    if (failed) raw.once('finish', () => socket?.timeout && socket.setTimeout(afterFailureMs))
    raw.chunkedEncoding = isChunked // it adds the last chunk
    raw.end()
  }
}

/**
 * Writes each event of an answer, whose head is set, as one string with the frame of its chunk. Node's own chunks are four writes, which the socket joins again: an
 * eighth of the service's processor time per token. Events are ASCII, and Latin-1 is the cheapest encoding to write.
 *
 * @returns What `raw.write` returns.
 */
function eventWriter(raw: ServerResponse): (event: string) => boolean {
  const isChunked = raw.chunkedEncoding
  raw.chunkedEncoding = false
  const frame = (event: string) => (isChunked ? `${event.length.toString(16)}\r\n${event}\r\n` : event)
  // An empty chunk would end the answer.
  return (event) => event === '' || raw.write(frame(event), 'latin1')
}

/** The headers set so far, for an answer that is written to the socket directly. */
export function plainHeaders(reply: FastifyReply): Record<string, string | number | string[]> {
  return Object.fromEntries(Object.entries(reply.getHeaders()).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** How long a client may leave data unread before it is disconnected. */
const readerLimitMs = 30_000

/** The client stays connected but reads nothing. */
export class ReaderIdle extends Error {
  override readonly name = 'ReaderIdle'
}

/** Ends an answer that is not read; a reset, because the system would keep megabytes of what was sent for minutes. */
export function dropReader({ socket }: ServerResponse): void {
  try {
    socket?.resetAndDestroy()
  } catch {
    // Only plain TCP can be reset; TLS and Unix sockets refuse.
    socket?.destroy()
  }
}

/**
 * Waits until the buffer has room again, so that at most one chunk is buffered.
 *
 * @throws {ReaderIdle} when the client has read nothing for {@link readerLimitMs}; the signal's reason when it aborts.
 */
export async function roomFor(
  { raw, clock }: { readonly raw: ServerResponse; readonly clock: Clock },
  { signal }: Abortable,
): Promise<void> {
  await firstOf<unknown>(
    signal,
    (either) => once(raw, 'drain', { signal: either }),
    async (either) => {
      await clock.wait(readerLimitMs, { signal: either })
      throw new ReaderIdle(`The client read nothing for ${readerLimitMs / 1000} s`)
    },
  )
}
