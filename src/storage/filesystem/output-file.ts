import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Abortable } from '../../core/waiting.ts'

/**
 * Writes a file with access for this user only, and resolves when it is on stable storage.
 *
 * @param options.modifiedAt Unix milliseconds.
 * @returns Size in bytes and hex SHA-256.
 */
export async function writeDurably(
  path: string,
  chunks: Iterable<Uint8Array>,
  { modifiedAt }: { readonly modifiedAt: number },
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  await using file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let bytes = 0
  for (const chunk of chunks) {
    await file.writeFile(chunk)
    hash.update(chunk)
    bytes += chunk.length
  }
  await file.utimes(modifiedAt / 1000, modifiedAt / 1000)
  await file.sync()
  return { bytes, sha256: hash.digest('hex') }
}

const pieceBytes = 1024 * 1024

/** Reads a file in pieces of a megabyte. */
export async function* readPieces(path: string, { signal }: Abortable): AsyncGenerator<Uint8Array, void, undefined> {
  await using file = await open(path, 'r')
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads a range of a file; returns fewer bytes at its end. */
export async function readSpan(
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array> {
  await using file = await open(path, 'r')
  const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
  return buffer.subarray(0, bytesRead)
}
