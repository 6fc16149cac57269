/** Maximum bytes of cached text and tokens for all accounts together. */
const defaultBytes = 8 * 1024 * 1024

const entryBytes = 320

/**
 * A cache of tokenized prompt parts, since a conversation sends nearly all its text with every turn, and llama.cpp takes a millisecond per
 * thousand characters. Separate per account, so that response times reveal nothing about other accounts' prompts.
 */
export class StretchMemory {
  readonly #most: number
  /** Least recently used first. */
  readonly #kept = new Map<string, Uint32Array>()
  #bytes = 0

  constructor(mostBytes = defaultBytes) {
    this.#most = mostBytes
  }

  /** The tokens of a part, from the cache or from `tokenize`. */
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
