/**
 * Splits a step between two noise levels into going down deterministically and adding noise again, in single precision:
 * what is left after the subtraction is small enough for rounding to matter.
 */
export function ancestralLevels(from: number, to: number): { readonly up: number; readonly down: number } {
  const { fround } = Math
  const fromSquared = fround(from * from)
  const toSquared = fround(to * to)
  const up = fround(Math.sqrt(fround(fround(toSquared * fround(fromSquared - toSquared)) / fromSquared)))
  return { up, down: fround(Math.sqrt(Math.max(fround(toSquared - fround(up * up)), 0))) }
}
