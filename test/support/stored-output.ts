import type { OutputReference } from '../../src/core/inference.ts'
import type { OutputStore } from '../../src/core/ports/output-store.ts'

const { signal } = new AbortController()

/** All bytes of a stored output. */
export async function readStored(outputs: OutputStore, reference: OutputReference): Promise<Buffer> {
  return readChunks(await outputs.open(reference, { signal }))
}

/** All bytes of what comes in pieces. */
export async function readChunks(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(chunks))
}
