const longestName = 256

/** Follows a JSON object or list as it is written: how deep it is, whether a string is open, when it ends. */
export class JsonScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #ended = false
  #string = ''
  #member: string | null = null

  get depth(): number {
    return this.#depth
  }

  get inString(): boolean {
    return this.#inString
  }

  /** The member of the outermost object that began last. */
  get member(): string | null {
    return this.#member
  }

  /** Whether the outermost bracket has not been closed yet. */
  get open(): boolean {
    return !this.#ended
  }

  /** Reads a fragment; returns how many of its characters belong to the value, all of them while it is open. */
  add(fragment: string): number {
    for (let index = 0; index < fragment.length; index++) {
      if (this.#ended) return index
      const character = fragment[index] ?? ''
      if (this.#inString) this.#readInString(character)
      else this.#readOutside(character)
    }
    return fragment.length
  }

  #readInString(character: string): void {
    if (!this.#escaped && character === '"') this.#inString = false
    else if (this.#depth === 1 && this.#string.length < longestName) this.#string += character
    this.#escaped = !this.#escaped && character === '\\'
  }

  #readOutside(character: string): void {
    if (character === '"') {
      this.#inString = true
      this.#string = ''
    } else if (character === ':' && this.#depth === 1) this.#member = this.#string
    else if (character === '{' || character === '[') this.#depth++
    else if (character === '}' || character === ']') this.#ended = --this.#depth === 0
  }
}
