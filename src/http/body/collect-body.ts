import type { IncomingMessage } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../core/ports/clock.ts'
import { type BodyGuards, readAtOnce, requirePace, tooLarge } from './counted-body.ts'

/** Bytes copied in one turn of the event loop. */
const copiedPerTurn = 1024 * 1024

/**
 * Reads a body into memory, counting its bytes as they arrive.
 *
 * @throws {ServiceError} `payload_too_large` over the limit, `request_timeout` when it arrives too slowly, and the errors of the allowance.
 */
export async function collectBody(
  payload: IncomingMessage,
  { limitBytes, allowance, clock, takeTurn }: BodyGuards,
): Promise<Buffer<ArrayBuffer>> {
  const declared = Number(payload.headers['content-length'] ?? 0)
  if (declared > limitBytes) throw tooLarge(limitBytes)
  // Large bodies are copied into place as they arrive, so that they are in memory only once.
  const place = declared > readAtOnce ? Buffer.allocUnsafeSlow(declared) : null
  const chunks: Buffer[] = []
  const { promise: whole, resolve, reject } = Promise.withResolvers<void>()
  let over = false
  let size = 0
  using _watch = watchPace(clock, () => size, reject)
  // Many clients read nothing before they have sent the whole body. If the rest is not read and dropped, both sides wait for each other.
  payload.on('data', (chunk: Buffer) => {
    if (over) return
    size += chunk.length
    try {
      if (size > limitBytes) throw tooLarge(limitBytes)
      allowance.take(chunk.length)
      if (place === null) chunks.push(chunk)
      else chunk.copy(place, size - chunk.length)
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
  try {
    await whole
    return place ?? (await joinChunks(chunks, size))
  } finally {
    over = true
  }
}

/** Starts to watch the pace in the next turn of the event loop: most bodies arrive with their heads and are complete by then. */
function watchPace(clock: Clock, size: () => number, onTooSlow: (error: unknown) => void): Disposable {
  let stop = () => clearImmediate(start)
  const start = setImmediate(() => {
    const watched = new AbortController()
    stop = () => watched.abort('The body is in')
    requirePace(clock, size, watched.signal).catch(onTooSlow)
  })
  return { [Symbol.dispose]: () => stop() }
}

/** Copying 32 MB in one turn would block the event loop for 20 ms. */
async function joinChunks(chunks: readonly Buffer[], size: number): Promise<Buffer<ArrayBuffer>> {
  if (size <= copiedPerTurn) return Buffer.concat(chunks)
  const joined = Buffer.allocUnsafeSlow(size)
  let copied = 0
  let turn = copiedPerTurn
  for (const chunk of chunks) {
    copied += chunk.copy(joined, copied)
    if (copied < turn) continue
    turn = copied + copiedPerTurn
    await nextTurn()
  }
  return joined
}
