/** A running sequence and how many of its tokens still have to go through the model. */
export interface Pending {
  readonly id: number
  readonly tokens: number
  /** Arrival order; older prompts go first. */
  readonly arrival: number
}

/** Tokens of one sequence in the next batch. */
export interface BatchEntry {
  readonly id: number
  readonly count: number
  /** Whether it ends with the sequence's last token, whose logits are then drawn from. */
  readonly complete: boolean
}

/**
 * Shares a batch out: every decoding sequence gets its one token, prompts share what is left, oldest first.
 *
 * @param limits.whileDecoding Most prompt tokens per batch while others decode, so that a long prompt does not stall them.
 * @returns By ascending sequence id, as llama.cpp needs it to evaluate the sequences together.
 */
export function planBatch(
  pending: readonly Pending[],
  limits: { readonly batchSize: number; readonly whileDecoding: number },
): readonly BatchEntry[] {
  const decoding = pending.filter((sequence) => sequence.tokens === 1)
  const prompts = pending.filter((sequence) => sequence.tokens > 1).sort((a, b) => a.arrival - b.arrival)
  const entries = decoding.map(({ id }): BatchEntry => ({ id, count: 1, complete: true }))
  let room = limits.batchSize - decoding.length
  if (decoding.length > 0) room = Math.min(room, limits.whileDecoding)
  for (const { id, tokens } of prompts) {
    const count = Math.min(tokens, room)
    if (count === 0) break
    entries.push({ id, count, complete: count === tokens })
    room -= count
  }
  return entries.sort((a, b) => a.id - b.id)
}
