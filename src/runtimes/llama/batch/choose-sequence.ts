/** Content of a context's sequence. */
export interface SequenceState {
  readonly id: number
  /** Owner of these tokens; null = empty. */
  readonly account: string | null
  /** Tokens whose keys and values are in the cache, in order. */
  readonly tokens: ArrayLike<number>
  readonly busy: boolean
  /** Counts up with each use; the smallest is evicted first. */
  readonly lastUsed: number
}

/** The sequence for a prompt: one as it is (reusing `keep` tokens), or one that first copies another's state. */
interface SequenceChoice {
  readonly target: number
  /** Sequence to copy from, or null. */
  readonly source: number | null
  readonly keep: number
}

/** Prefixes shorter than this are computed again rather than copied. */
const worthCopying = 8
/** A warm conversation is continued in place when at most this share of it would be lost. */
const losable = 0.2

/**
 * Chooses the sequence for a prompt so as to reuse the longest prefix, only within one account, and to keep other warm conversations; null
 * = all sequences are busy.
 */
export function chooseSequence(
  states: readonly SequenceState[],
  { account, prompt }: { readonly account: string; readonly prompt: ArrayLike<number> },
): SequenceChoice | null {
  const idle = states.filter((state) => !state.busy).sort(byEviction)
  const [evict] = idle
  if (evict === undefined) return null
  const longest = prompt.length - 1 // the last token is always computed: its logits are needed
  let best: SequenceState | null = null
  let keep = 0
  for (const state of states) {
    if (state.account !== account) continue
    const shared = Math.min(longest, commonPrefix(state.tokens, prompt))
    if (shared > keep || (shared === keep && best?.busy === true && !state.busy)) {
      best = state
      keep = shared
    }
  }
  if (best === null || keep === 0) return { target: evict.id, source: null, keep: 0 }
  const inPlace = !best.busy && (best === evict || best.tokens.length - keep <= losable * best.tokens.length)
  if (inPlace) return { target: best.id, source: null, keep }
  if (keep < worthCopying) return { target: evict.id, source: null, keep: 0 }
  return { target: evict.id, source: best.id, keep }
}

function byEviction(a: SequenceState, b: SequenceState): number {
  const empty = Number(a.account !== null) - Number(b.account !== null)
  return empty || (a.account === null ? a.id - b.id : a.lastUsed - b.lastUsed)
}

/** Number of leading tokens that two sequences share. */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.min(a.length, b.length)
  let index = 0
  while (index < length && a[index] === b[index]) index++
  return index
}
