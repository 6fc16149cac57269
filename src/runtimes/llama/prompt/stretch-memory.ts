/** Bytes of text and tokens that are kept, of all accounts together. */
const defaultBytes = 8 * 1024 * 1024

/** What an entry takes beside its text and its tokens, about. */
const entryBytes = 320

/**
 * The tokens of stretches of prompts that came lately: a conversation sends nearly all of its text again with every turn, and llama.cpp takes a millisecond for a
 * thousand characters. Kept for each account apart, so that nobody can tell by an answer's time what others asked.
 */
export class StretchMemory {
  readonly #most: number
  /** Least recently used first. */
  readonly #kept = new Map<string, Uint32Array>()
  #bytes = 0

  constructor(mostBytes = defaultBytes) {
    this.#most = mostBytes
  }

  /** The tokens of a stretch: those that are kept, or those that `tokenize` makes of it. */
  tokens({ account, stretch, special }: Stretch, tokenize: () => Uint32Array): Uint32Array {
    // Joined, since a slice would keep the whole prompt that it was cut from.
    const key = [account, special, stretch].join('\n')
    const known = this.#kept.get(key)
    const tokens = known ?? tokenize()
    if (known !== undefined) this.#forget(key, known)
    this.#kept.set(key, tokens)
    this.#bytes += bytesOf(key, tokens)
    for (const [oldest, its] of this.#kept) {
      if (this.#bytes <= this.#most) break
      this.#forget(oldest, its)
    }
    return tokens
  }

  #forget(key: string, tokens: Uint32Array): void {
    this.#kept.delete(key)
    this.#bytes -= bytesOf(key, tokens)
  }
}

interface Stretch {
  readonly account: string
  readonly stretch: string
  /** Whether marks in it are tokens. */
  readonly special: boolean
}

/** At two bytes a character. */
function bytesOf(key: string, tokens: Uint32Array): number {
  return 2 * key.length + tokens.byteLength + entryBytes
}
