/**
 * The 32-bit seed of one choice: different for each choice, the same for the same request seed.
 *
 * @see Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators": the finalizer of SplitMix32.
 */
export function choiceSeed(seed: number, choice: number): number {
  const high = Math.floor(seed / 2 ** 32)
  let state = (seed ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(choice, 0x9e3779b9)) >>> 0
  state = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
  state = Math.imul(state ^ (state >>> 15), 0x735a2d97)
  const mixed = (state ^ (state >>> 15)) >>> 0
  return mixed === 0xffff_ffff ? 0 : mixed
}
