import { floatAt } from '../value-at.ts'

const twoPi = Math.fround(2 * Math.PI)
const blockSize = 16
const half = blockSize / 2

/**
 * Draws what `torch.randn(…, generator=torch.Generator('cpu').manual_seed(seed))` draws, so that a seed means the
 * same picture here and in diffusers. Successive calls continue one stream.
 */
export class TorchGenerator {
  readonly #engine: MersenneTwister
  /** Unused second value of the last Box–Muller pair. */
  #kept: number | null = null

  constructor(seed: number) {
    this.#engine = new MersenneTwister(seed)
  }

  /** `count` float32 values from the standard normal distribution. */
  normal(count: number): Float32Array {
    const values = new Float32Array(count)
    if (count < blockSize) {
      for (let i = 0; i < count; i++) values[i] = this.#nextDouble()
      return values
    }
    for (let i = 0; i < count; i++) values[i] = this.#uniformFloat()
    for (let start = 0; start + blockSize <= count; start += blockSize) toNormal(values.subarray(start, start + blockSize))
    if (count % blockSize > 0) {
      // PyTorch redraws the last sixteen values as a whole block, overwriting some that were already normal.
      const tail = values.subarray(count - blockSize)
      for (let i = 0; i < blockSize; i++) tail[i] = this.#uniformFloat()
      toNormal(tail)
    }
    return values
  }

  #uniformFloat(): number {
    return (this.#engine.next() & 0xffffff) / 0x1000000
  }

  #uniformDouble(): number {
    const high = this.#engine.next() & 0x1fffff
    return (high * 0x100000000 + this.#engine.next()) / 0x20000000000000
  }

  #nextDouble(): number {
    if (this.#kept !== null) {
      const kept = this.#kept
      this.#kept = null
      return kept
    }
    const angle = 2 * Math.PI * this.#uniformDouble()
    const radius = Math.sqrt(-2 * Math.log1p(-this.#uniformDouble()))
    this.#kept = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
}

/** Turns a block of sixteen uniform values into normal ones in place, in single precision as PyTorch does. */
function toNormal(block: Float32Array): void {
  for (let i = 0; i < half; i++) {
    const radius = Math.fround(Math.sqrt(Math.fround(-2 * Math.fround(Math.log(Math.fround(1 - floatAt(block, i)))))))
    const angle = Math.fround(twoPi * floatAt(block, i + half))
    block[i] = radius * Math.fround(Math.cos(angle))
    block[i + half] = radius * Math.fround(Math.sin(angle))
  }
}

const stateSize = 624
const middle = 397

/**
 * The 32-bit Mersenne Twister behind PyTorch's CPU generator.
 *
 * @see Matsumoto and Nishimura 1998, doi:10.1145/272991.272995
 */
class MersenneTwister {
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
