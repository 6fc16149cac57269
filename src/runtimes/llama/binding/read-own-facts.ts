import { open } from 'node:fs/promises'
import { type GgufFacts, readGgufFacts } from '../../../core/gguf/gguf-facts.ts'
import { readGgufHeader } from '../../../core/gguf/gguf-header.ts'
import { findVocabularyFault, vocabularyLists } from './vocabulary-fault.ts'

/** What a GGUF file says of itself; null where it is damaged, or none. */
export async function readOwnFacts(path: string): Promise<(GgufFacts & { readonly vocabularyFault: string | null }) | null> {
  await using file = await open(path)
  const read = async (position: number, bytes: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  }
  const header = await readGgufHeader(read, { lists: vocabularyLists })
  const facts = 'fault' in header ? null : readGgufFacts(header)
  return 'fault' in header || facts === null ? null : { ...facts, vocabularyFault: findVocabularyFault(header) }
}
