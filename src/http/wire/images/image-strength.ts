/**
 * The strength for the engine. It is rounded up when only floating-point error would leave less than one step: 49 × (1 / 49) is less than 1.
 */
export function strengthFor(strength: number, steps: number): number {
  const left = strength * steps
  return left < 1 && left > 1 - 1e-9 ? (1 + Number.EPSILON) / steps : strength
}

/** The smallest strength of at most four decimals that leaves at least one step. */
export function plainLeastStrength(steps: number): number {
  return Math.ceil(10_000 / steps) / 10_000
}
