import { longContext } from './attention-tile.ts'

/** A prompt of which nothing has been read yet. */
export interface FreshPrompt {
  /** Tokens of its beginning that are in the cache. */
  readonly cached: number
  /** The others. */
  readonly fresh: number
}

/** Kernels take this many rows at once. */
const rows = 4
/** What a row that is left over costs more than one of four, in rows, where it waits for all weights to be read for itself. */
const waitingRow = 1.6
/** The same where it waits for its sums: on processors with shorter vectors, and where the weights stay in the caches. */
const summingRow = 0.35
/** Weights that stay in a processor's caches from batch to batch. */
const cachedBytes = 16e6
/** What a piece of a batch costs beside its rows, in rows. */
const piece = 4

/**
 * What a row that is left over costs more than one of four, in rows.
 *
 * @param model.hasWideVectors Whether the processor has AVX-512: there 12, 14 and 16 tokens of 132 M parameters took 16.1, 21.6 and 17.8 ms, without it 59.6, 65.6 and 61.5.
 * @param model.bytes Of the weights.
 */
export function priceLeftOver({ hasWideVectors, bytes }: { readonly hasWideVectors: boolean; readonly bytes: number }): number {
  return hasWideVectors && bytes > cachedBytes ? waitingRow : summingRow
}

/**
 * How many tokens each prompt reads when they start together, in the order given: what is fresh, or some cached ones again where that is cheaper. llama.cpp
 * splits a batch into pieces in which every sequence has as many tokens, and reads all weights for each piece and for each row that is left over.
 *
 * @param leftOver As {@link priceLeftOver} says.
 * @returns At least what is fresh of each, and no more than is fresh and cached.
 */
export function alignPrompts(prompts: readonly FreshPrompt[], leftOver: number): readonly number[] {
  const fresh = prompts.map((prompt) => prompt.fresh)
  const longest = Math.max(0, ...fresh)
  let best = fresh
  for (let target = longest; target < longest + rows; target++) {
    const read = prompts.map((prompt) => (canRead(prompt, target) ? target : prompt.fresh))
    if (price(read, leftOver) < price(best, leftOver)) best = read
  }
  return best
}

/** A single fresh token goes with those that decode, and after a long context attention makes every token dear. */
function canRead({ cached, fresh }: FreshPrompt, target: number): boolean {
  return fresh > 1 && cached < longContext && target <= fresh + cached
}

/** What a batch of so many tokens per sequence costs, in rows of a large one. */
function price(counts: readonly number[], leftOver: number): number {
  const ascending = counts.toSorted((a, b) => a - b)
  let total = 0
  let before = 0
  for (const [index, count] of ascending.entries()) {
    if (count === before) continue
    const size = (count - before) * (ascending.length - index)
    total += piece + size + leftOver * (size % rows)
    before = count
  }
  return total
}
