const stateSize = 624
const middle = 397

/**
 * The 32-bit Mersenne Twister behind PyTorch's CPU generator.
 *
 * @see Matsumoto and Nishimura 1998, doi:10.1145/272991.272995
 */
export class MersenneTwister {
  readonly #state = new Uint32Array(stateSize)
  #position = stateSize

  /** @param seed Its low 32 bits are used. */
  constructor(seed: number) {
    const state = this.#state
    let previous = seed >>> 0
    state[0] = previous
    for (let i = 1; i < stateSize; i++) {
      previous = (Math.imul(1812433253, previous ^ (previous >>> 30)) + i) >>> 0
      state[i] = previous
    }
  }

  /** The next integer, 0 to 2³²−1. */
  next(): number {
    if (this.#position === stateSize) this.#twist()
    let y = this.#state[this.#position++] ?? 0
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    y ^= y >>> 18
    return y >>> 0
  }

  #twist(): void {
    const state = this.#state
    for (let i = 0; i < stateSize; i++) {
      const joined = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % stateSize] ?? 0) & 0x7fffffff)
      const twisted = (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0)
      state[i] = (state[(i + middle) % stateSize] ?? 0) ^ twisted
    }
    this.#position = 0
  }
}
