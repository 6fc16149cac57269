/** What a sequence id of the context holds. */
export interface SequenceState {
  readonly id: number
  /** Whose tokens these are; null when it is empty. */
  readonly account: string | null
  /** Tokens whose keys and values are in the cache, in order. */
  readonly tokens: ArrayLike<number>
  readonly busy: boolean
  /** Counts up with each use; the smallest is evicted first. */
  readonly lastUsed: number
}

/** Where to run a prompt: on a sequence as it is (`keep` tokens reused), or on one that first takes over another's state. */
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
 * Picks the sequence for a prompt so that as much of its beginning as possible is reused, only within one account, and
 * other warm conversations survive; null when every sequence is busy.
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

/** How many leading tokens two sequences share. */
export function commonPrefix(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const length = Math.min(a.length, b.length)
  let index = 0
  while (index < length && a[index] === b[index]) index++
  return index
}
