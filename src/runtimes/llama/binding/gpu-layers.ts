import type { OwnFacts } from './read-own-facts.ts'

/** Share of a GPU's free memory that layers and their caches may take; the rest is for what a batch computes, beside its logits. */
const usableShare = 0.9
/** Tokens of a batch, each of which may have logits, at 32 bits. */
const batchBytesPerWord = 512 * 4

/** How many of a file's layers fit into a GPU's free memory, with their share of the caches. */
export function chooseGpuLayers(
  facts: Pick<OwnFacts, 'cacheBytesPerToken' | 'vocabularySize' | 'split'> & { readonly header: Pick<OwnFacts['header'], 'promisedBytes'> },
  { layers, freeBytes, cachedTokens }: { readonly layers: number; readonly freeBytes: number; readonly cachedTokens: number },
): number {
  const fileBytes = facts.header.promisedBytes * (facts.split?.count ?? 1)
  const layerBytes = (fileBytes + cachedTokens * facts.cacheBytesPerToken) / layers
  const usable = freeBytes * usableShare - facts.vocabularySize * batchBytesPerWord
  return Math.max(0, Math.min(layers, Math.floor(usable / layerBytes)))
}
