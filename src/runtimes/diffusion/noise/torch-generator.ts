import { floatAt } from '../value-at.ts'
import { MersenneTwister } from './mersenne-twister.ts'

const twoPi = Math.fround(2 * Math.PI)
const blockSize = 16
const half = blockSize / 2

/**
 * Draws what `torch.randn(…, generator=torch.Generator('cpu').manual_seed(seed))` draws, so that a seed means the
 * same picture here and in diffusers. Successive calls continue one stream.
 */
export class TorchGenerator {
  readonly #engine: MersenneTwister
  /** The second value of the last Box–Muller pair drawn one by one. */
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
