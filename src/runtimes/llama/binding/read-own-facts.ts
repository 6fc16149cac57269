import { open } from 'node:fs/promises'
import { type GgufFacts, readGgufFacts } from '../../../core/gguf/gguf-facts.ts'
import { type GgufHeader, readGgufHeader } from '../../../core/gguf/gguf-header.ts'
import { findVocabularyFault, vocabularyLists } from './vocabulary-fault.ts'

/** What a GGUF file says of itself. */
export interface OwnFacts extends GgufFacts {
  readonly vocabularyFault: string | null
  readonly header: GgufHeader
}

/** What a GGUF file says of itself; null where it is damaged, or none. */
export async function readOwnFacts(path: string): Promise<OwnFacts | null> {
  await using file = await open(path)
  const read = async (position: number, bytes: number) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  }
  const header = await readGgufHeader(read, { lists: vocabularyLists })
  const facts = 'fault' in header ? null : readGgufFacts(header)
  return 'fault' in header || facts === null ? null : { ...facts, header, vocabularyFault: findVocabularyFault(header) }
}
