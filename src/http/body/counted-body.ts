import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { BodyAllowance } from '../limits/body-budget.ts'

/** The slowest a body may come in: so many bytes in each span of time. Small bodies have one span in all. */
const slowest = { bytes: 64 * 1024, spanMs: 20_000 }

/** Bytes of a body that are read as they come; what is more takes turns with others', or a fast client would hold the event loop. */
export const readAtOnce = 256 * 1024

/** What bounds a body that comes in. */
export interface BodyGuards {
  readonly limitBytes: number
  readonly allowance: BodyAllowance
  readonly clock: Clock
  /** Resolves when a large body may send so many bytes more; all bodies share the turns. */
  readonly takeTurn: (bytes: number) => Promise<void>
  /** Shown each piece that was taken, which it must not keep; absent = nobody looks. */
  readonly onPiece?: (piece: Buffer) => void
}

/**
 * The pieces of a body, counted while they stream in and no faster than they are taken. Ending early leaves the rest unread.
 *
 * @throws {ServiceError} `payload_too_large` over the limit, `request_timeout` when it comes in too slowly, and what the allowance throws.
 */
export async function* countedBody(
  payload: IncomingMessage,
  { limitBytes, allowance, clock, takeTurn, onPiece }: BodyGuards,
): AsyncGenerator<Buffer, void, undefined> {
  if (Number(payload.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  let size = 0
  const done = new AbortController()
  const tooSlow = requirePace(clock, () => size, done.signal)
  tooSlow.catch(() => {})
  // The connection is needed for the answer, so that leaving must not close it.
  const chunks = payload.iterator({ destroyOnReturn: false })
  try {
    for (;;) {
      const { done: ended, value } = await Promise.race([chunks.next(), tooSlow])
      if (ended === true) return
      const chunk: Buffer = value
      size += chunk.length
      if (size > limitBytes) throw tooLarge(limitBytes)
      allowance.take(chunk.length)
      if (size > readAtOnce) await takeTurn(chunk.length)
      onPiece?.(chunk)
      yield chunk
    }
  } finally {
    done.abort('The body is in')
    // Not awaited: it would wait for a piece that may never come.
    chunks.return?.().catch(() => {})
  }
}

/**
 * Ends when the signal does.
 *
 * @throws {ServiceError} `request_timeout` as soon as a body comes in too slowly.
 */
export async function requirePace(clock: Clock, size: () => number, signal: AbortSignal): Promise<never> {
  for (let least = slowest.bytes; ; least = size() + slowest.bytes) {
    await clock.wait(slowest.spanMs, { signal })
    if (size() < least)
      throw new ServiceError('request_timeout', `Send bodies faster: at least ${slowest.bytes} bytes in ${slowest.spanMs / 1000} seconds.`)
  }
}

/** @param limitBytes Of the route. */
export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `Send at most ${limitBytes} bytes; larger inputs do not fit into one request.`)
}
