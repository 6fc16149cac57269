import { open } from 'node:fs/promises'
import { type GgufFacts, readGgufFacts } from '../../../core/gguf/gguf-facts.ts'
import { readGgufHeader } from '../../../core/gguf/gguf-header.ts'

/** What a GGUF file says of itself; null where it is damaged, or none. */
export async function readOwnFacts(path: string): Promise<GgufFacts | null> {
  await using file = await open(path)
  const header = await readGgufHeader(async (position, bytes) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  })
  return 'fault' in header ? null : readGgufFacts(header)
}
