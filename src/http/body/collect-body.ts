import type { IncomingMessage } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { type BodyGuards, readAtOnce, requirePace, tooLarge } from './counted-body.ts'

/** Bytes copied in one turn of the event loop. */
const copiedPerTurn = 1024 * 1024

/**
 * The bytes of a body, counted while they stream in.
 *
 * @throws {ServiceError} `payload_too_large` over the limit, `request_timeout` when it comes in too slowly, and what the allowance throws.
 */
export async function collectBody(
  payload: IncomingMessage,
  { limitBytes, allowance, clock, takeTurn }: BodyGuards,
): Promise<Buffer<ArrayBuffer>> {
  const told = Number(payload.headers['content-length'] ?? 0)
  if (told > limitBytes) throw tooLarge(limitBytes)
  // Copied as they come, large bodies are in memory once, and none is copied at its end.
  const place = told > readAtOnce ? Buffer.allocUnsafeSlow(told) : null
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
      requirePace(clock, () => size, done.signal).catch(reject)
    })
    return place ?? (await joinChunks(chunks, size))
  } finally {
    done.abort('The body is in')
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
