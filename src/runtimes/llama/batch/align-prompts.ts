import { longContext } from './attention-tile.ts'

/** A prompt that has not been read yet, in tokens. */
export interface FreshPrompt {
  /** Tokens of its beginning that are in the cache. */
  readonly cached: number
  /** The others. */
  readonly fresh: number
}

/** Kernels of these types take so many rows at once; those of the others, as SmolLM2's Q4_1, take every row by itself. */
const rows = 4
const together = /^(?:Q4_0|Q4_K|IQ4_NL|Q2_K|Q8_0)$/
/** Additional cost of a left-over row compared to one of four, in rows, if it waits for reading all weights. */
const waitingRow = 1.6
/** The same cost if it waits for arithmetic: on processors with shorter vectors, and with weights in the caches. */
const summingRow = 0.35
/** Weights that stay in a processor's caches from batch to batch. */
const cachedBytes = 16e6
/** Cost of a piece of a batch besides its rows, in rows. */
const piece = 4

/**
 * Additional cost of a left-over row compared to one of four, in rows; 0 = rows cost the same in any number.
 *
 * @param model.hasWideVectors Whether the processor has AVX-512. With it, 12, 14 and 16 tokens of 132 M parameters took 16.1, 21.6 and 17.8
 * ms; without, 59.6, 65.6 and 61.5.
 * @param model.bytes Size of the weights.
 * @param model.quantization The most used type of the weights.
 */
export function priceLeftOver({
  hasWideVectors,
  bytes,
  quantization,
}: {
  readonly hasWideVectors: boolean
  readonly bytes: number
  readonly quantization: string
}): number {
  if (!together.test(quantization)) return 0
  return hasWideVectors && bytes > cachedBytes ? waitingRow : summingRow
}

/**
 * Chooses the number of tokens to read for each of several prompts that start together, in order: the fresh ones, plus cached ones if that
 * is cheaper. llama.cpp splits a batch into pieces with equally many tokens per sequence, and reads all weights for each piece and each
 * left-over row.
 *
 * @param leftOver From {@link priceLeftOver}.
 * @returns For each, at least the fresh tokens and at most fresh and cached ones.
 */
export function alignPrompts(prompts: readonly FreshPrompt[], leftOver: number): readonly number[] {
  const fresh = prompts.map((prompt) => prompt.fresh)
  if (leftOver === 0) return fresh
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

/** Cost of a batch with these numbers of tokens per sequence, in rows of a large batch. */
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
