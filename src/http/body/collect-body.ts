import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../core/error.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { BodyAllowance } from '../limits/body-budget.ts'

/** Bytes copied in one turn of the event loop. */
const copiedPerTurn = 4 * 1024 * 1024

/** Bytes of a body that are read as they come; what is more takes turns with others', or a fast client would hold the event loop. */
const readAtOnce = 256 * 1024

/** The slowest a body may come in: so many bytes in each span of time. Small bodies have one span in all. */
const slowest = { bytes: 64 * 1024, spanMs: 20_000 }

/**
 * The bytes of a body, counted while they stream in.
 *
 * @throws {ServiceError} `payload_too_large` over the limit, `request_timeout` when it comes in too slowly, and what the allowance throws.
 */
export async function collectBody(
  payload: IncomingMessage,
  {
    limitBytes,
    allowance,
    clock,
    takeTurn,
  }: {
    readonly limitBytes: number
    readonly allowance: BodyAllowance
    readonly clock: Clock
    /** Resolves when a large body may send so many bytes more; all bodies share the turns. */
    readonly takeTurn: (bytes: number) => Promise<void>
  },
): Promise<Buffer<ArrayBuffer>> {
  if (Number(payload.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const chunks: Buffer[] = []
  const done = new AbortController()
  let size = 0
  try {
    await new Promise<void>((resolve, reject) => {
      // Many clients read nothing before they have sent all: unless the rest is read and dropped, both sides wait for each other.
      payload.on('data', (chunk: Buffer) => {
        if (done.signal.aborted) return
        size += chunk.length
        try {
          if (size > limitBytes) throw tooLarge(limitBytes)
          allowance.take(chunk.length)
          chunks.push(chunk)
          if (size > readAtOnce) {
            payload.pause()
            takeTurn(chunk.length).then(() => payload.resume())
          }
        } catch (error) {
          reject(error)
        }
      })
      payload.once('end', resolve)
      payload.once('error', reject)
      requirePace(clock, () => size, done.signal).catch(reject)
    })
    return await joinChunks(chunks, size)
  } finally {
    done.abort('The body is in')
  }
}

async function requirePace(clock: Clock, size: () => number, signal: AbortSignal): Promise<void> {
  for (let least = slowest.bytes; ; least = size() + slowest.bytes) {
    try {
      await clock.wait(slowest.spanMs, { signal })
    } catch {
      return
    }
    if (size() < least)
      throw new ServiceError('request_timeout', `Send bodies faster: at least ${slowest.bytes} bytes in ${slowest.spanMs / 1000} seconds.`)
  }
}

/** Copying 32 MB at once would hold the event loop for 20 ms. */
async function joinChunks(chunks: readonly Buffer[], size: number): Promise<Buffer<ArrayBuffer>> {
  if (size <= copiedPerTurn) return Buffer.concat(chunks)
  const joined = Buffer.allocUnsafeSlow(size)
  let copied = 0
  let turn = copiedPerTurn
  for (const chunk of chunks) {
    copied += chunk.copy(joined, copied)
    if (copied < turn) continue
    turn = copied + copiedPerTurn
    await setImmediate()
  }
  return joined
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `Send at most ${limitBytes} bytes; larger inputs do not fit into one request.`)
}
