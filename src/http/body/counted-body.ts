import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { BodyAllowance } from '../limits/body-budget.ts'

/** The minimum pace of a body: so many bytes in each span. A smaller body has one span in all. */
const slowest = { bytes: 64 * 1024, spanMs: 20_000 }

/** This many bytes are read as they arrive. The rest takes turns with other bodies, so that a fast client cannot block the event loop. */
export const readAtOnce = 256 * 1024

/** The limits of an incoming body. */
export interface BodyGuards {
  readonly limitBytes: number
  readonly allowance: BodyAllowance
  readonly clock: Clock
  /** Resolves when a large body may read so many more bytes; all bodies share the turns. */
  readonly takeTurn: (bytes: number) => Promise<void>
  /** Called with each piece, which it must not keep. */
  readonly onPiece?: (piece: Buffer) => void
}

/**
 * Yields the pieces of a body, counted as they arrive and read no faster than they are taken. Leaving early leaves the rest unread.
 *
 * @throws {ServiceError} `payload_too_large` over the limit, `request_timeout` when it arrives too slowly, and the errors of the allowance.
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
  // Leaving early must keep the connection open for the answer.
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
    // Not awaited: the next piece may never arrive.
    chunks.return?.().catch(() => {})
  }
}

/**
 * Runs until the signal aborts.
 *
 * @throws {ServiceError} `request_timeout` as soon as a body arrives too slowly.
 */
export async function requirePace(clock: Clock, size: () => number, signal: AbortSignal): Promise<never> {
  for (let least = slowest.bytes; ; least = size() + slowest.bytes) {
    await clock.wait(slowest.spanMs, { signal })
    if (size() < least)
      throw new ServiceError('request_timeout', `Send bodies faster: at least ${slowest.bytes} bytes in ${slowest.spanMs / 1000} seconds.`)
  }
}

/** @param limitBytes The route's limit. */
export function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `Send at most ${limitBytes} bytes; larger inputs do not fit into one request.`)
}
