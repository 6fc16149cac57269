import { cutForTile, tile } from './attention-tile.ts'

/** A running sequence and how many of its tokens still have to go through the model. */
export interface Pending {
  readonly id: number
  readonly tokens: number
  /** Arrival order; older prompts go first. */
  readonly arrival: number
  /** Maximum tokens of it per batch; absent = as many as fit. */
  readonly most?: number
}

/** Tokens of one sequence in the next batch. */
export interface BatchEntry {
  readonly id: number
  readonly count: number
  /** Whether it ends with the sequence's last token, whose logits are then drawn from. */
  readonly complete: boolean
}

/**
 * Shares a batch out: every decoding sequence gets its one token, prompts share `promptTokens`, oldest first, and short ones are not cut to fill what is left.
 *
 * @returns By ascending sequence id, as llama.cpp needs it to evaluate the sequences together.
 */
export function planBatch(pending: readonly Pending[], promptTokens: number): readonly BatchEntry[] {
  const decoding = pending.filter((sequence) => sequence.tokens === 1)
  const prompts = pending.filter((sequence) => sequence.tokens > 1).sort((a, b) => a.arrival - b.arrival)
  const entries = decoding.map(({ id }): BatchEntry => ({ id, count: 1, complete: true }))
  let room = promptTokens
  for (const { id, tokens, most = room } of prompts) {
    const count = cutForTile(tokens, Math.min(room, most))
    // A short prompt started behind others would be read separately, which reads all weights again.
    if (count === 0 || (count < tokens && tokens < tile && room < promptTokens)) break
    entries.push({ id, count, complete: count === tokens })
    room -= count
  }
  return entries.sort((a, b) => a.id - b.id)
}
