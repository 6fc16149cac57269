import type { WeightedText } from '../../../core/images/prompt-weights.ts'
import type { ClipTokenizer } from './clip-tokenizer.ts'

/** The tokenizer's methods in use. */
export type PromptTokenizer = Pick<ClipTokenizer, 'encode' | 'startId' | 'endId' | 'padId' | 'maxLength'>

/** One row of token ids for an encoder, with the weight of each. */
export interface PromptChunk {
  /** Start token, up to 75 tokens, end token and padding, to the encoder's full length. */
  readonly ids: readonly number[]
  /** One per id; start, end and padding count 1. */
  readonly weights: readonly number[]
}

/** Cuts a prompt into chunks that fit the encoder; there is always at least one, and BREAK starts another. */
export function promptChunks(tokenizer: PromptTokenizer, parts: readonly WeightedText[]): readonly PromptChunk[] {
  const sections: WeightedText[][] = [[]]
  for (const part of parts) {
    if (part.apart) sections.push([])
    sections.at(-1)?.push(part)
  }
  return sections.flatMap((section) => sectionChunks(tokenizer, section))
}

function sectionChunks(tokenizer: PromptTokenizer, parts: readonly WeightedText[]): readonly PromptChunk[] {
  const room = tokenizer.maxLength - 2
  const ids = parts.flatMap((part) => tokenizer.encode(part.text).map((id) => ({ id, weight: part.weight })))
  const chunks: PromptChunk[] = []
  for (let start = 0; start === 0 || start < ids.length; start += room) {
    const chunk = ids.slice(start, start + room)
    const padding = Array.from({ length: room - chunk.length }, () => tokenizer.padId)
    chunks.push({
      ids: [tokenizer.startId, ...chunk.map((token) => token.id), tokenizer.endId, ...padding],
      weights: [1, ...chunk.map((token) => token.weight), 1, ...padding.map(() => 1)],
    })
  }
  return chunks
}
