const none = -1

/** All tokens of a vocabulary by the bytes they spell, so that those with one beginning are looked at together. */
export class TokenTrie {
  readonly size: number
  readonly #bytes: number[] = [0]
  readonly #firstChild: number[] = [none]
  readonly #sibling: number[] = [none]
  /** The last token that ends at a node; each names the one before it. */
  readonly #token: number[] = [none]
  readonly #sameText: Int32Array

  /** @param spell The bytes of a token; those without any are left out. */
  constructor(size: number, spell: (token: number) => Uint8Array) {
    this.size = size
    this.#sameText = new Int32Array(size).fill(none)
    for (let token = 0; token < size; token++) {
      const bytes = spell(token)
      if (bytes.length === 0) continue
      let node = 0
      for (const byte of bytes) node = this.#child(node, byte)
      this.#sameText[token] = this.#token[node] ?? none
      this.#token[node] = token
    }
  }

  /**
   * Visits the tokens prefix by prefix.
   *
   * @param enter Returns the state after one more byte of a prefix; null skips all tokens with this prefix.
   */
  walk<Reached>(start: Reached, enter: (reached: Reached, byte: number) => Reached | null, take: (token: number) => void): void {
    const nodes = [this.#firstChild[0] ?? none]
    const reached = [start]
    for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      const from = reached.pop()
      if (node === none || from === undefined) continue
      nodes.push(this.#sibling[node] ?? none)
      reached.push(from)
      const to = enter(from, this.#bytes[node] ?? 0)
      if (to === null) continue
      for (let token = this.#token[node] ?? none; token !== none; token = this.#sameText[token] ?? none) take(token)
      nodes.push(this.#firstChild[node] ?? none)
      reached.push(to)
    }
  }

  /** Tokens that together spell the bytes, each as long as possible; null = not possible. */
  spell(bytes: readonly number[]): readonly number[] | null {
    const tokens: number[] = []
    for (let at = 0; at < bytes.length; ) {
      let longest: { readonly token: number; readonly end: number } | null = null
      let node = 0
      for (let end = at; end < bytes.length; ) {
        node = this.#find(node, bytes[end] ?? 0)
        if (node === none) break
        const token = this.#token[node] ?? none
        end++
        if (token !== none) longest = { token, end }
      }
      if (longest === null) return null
      tokens.push(longest.token)
      at = longest.end
    }
    return tokens
  }

  #find(parent: number, byte: number): number {
    for (let child = this.#firstChild[parent] ?? none; child !== none; child = this.#sibling[child] ?? none)
      if (this.#bytes[child] === byte) return child
    return none
  }

  #child(parent: number, byte: number): number {
    const known = this.#find(parent, byte)
    if (known !== none) return known
    const made = this.#bytes.push(byte) - 1
    this.#firstChild.push(none)
    this.#token.push(none)
    this.#sibling.push(this.#firstChild[parent] ?? none)
    this.#firstChild[parent] = made
    return made
  }
}
