import { open } from 'node:fs/promises'
import { findAdapterFault } from '../../core/gguf/adapter-faults.ts'
import { type GgufFacts, readWholeFacts } from '../../core/gguf/gguf-facts.ts'
import { readGgufHeader } from '../../core/gguf/gguf-header.ts'
import type { TextModelDescriptor } from '../../core/model.ts'

/** Reads the facts of a GGUF file; a fault completes a sentence that begins with the file's name. */
export async function readGguf(path: string): Promise<GgufFacts | { readonly fault: string }> {
  await using file = await open(path)
  const header = await readGgufHeader(async (position, bytes) => {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, position)
    return buffer.subarray(0, bytesRead)
  })
  if ('fault' in header) return header
  const facts = readWholeFacts(header, (await file.stat()).size)
  if ('fault' in facts) return facts
  const fault = facts.use === 'adapter' ? findAdapterFault(header) : null
  return fault === null ? facts : { fault }
}

/** Why a GGUF file cannot serve text, embeddings or ranking, completing a sentence that begins with its name; null = it can. */
export function refuseGguf({ use, architecture }: GgufFacts): string | null {
  switch (use) {
    case 'text':
    case 'embeddings':
    case 'reranker':
      return null
    case 'projector':
      return 'only prepares images for another model (mmproj)'
    case 'adapter':
      return 'is a LoRA adapter, not a model; put it into a models folder and name it in `lora` of requests to its model'
    case 'foreign-adapter':
      return 'is an adapter of a kind that Sepia does not run; use a LoRA (not an activated one)'
    case 'picture':
      return `is an image model${architecture === '' ? '' : ` (${architecture})`}; put it into a models folder, with its text encoders and VAE beside it`
  }
}

/** Descriptor fields read from a text model's file. */
export function describeGguf(facts: GgufFacts): Pick<TextModelDescriptor, 'trainedLength' | 'generates' | 'ranks' | 'weights'> {
  const { contextLength, use, architecture, parameters, quantization, layers, vocabularySize, cacheBytesPerToken } = facts
  return {
    ...(contextLength !== null && { trainedLength: contextLength }),
    generates: use === 'text',
    ...(use === 'reranker' && { ranks: true }),
    weights: { architecture, parameters, quantization, layers, vocabularySize, cacheBytesPerToken },
  }
}
