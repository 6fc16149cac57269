/**
 * The strength an engine is to use: what was asked for, but for one step at least where only rounding is missing. In floating point
 * 49 × (1 / 49) is less than 1.
 */
export function strengthFor(strength: number, steps: number): number {
  const left = strength * steps
  return left < 1 && left > 1 - 1e-9 ? (1 + Number.EPSILON) / steps : strength
}

/** A strength of at most four decimals that leaves at least one of the steps. */
export function plainLeastStrength(steps: number): number {
  return Math.ceil(10_000 / steps) / 10_000
}
