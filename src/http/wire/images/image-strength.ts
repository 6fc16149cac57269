/**
 * The strength for the engine. It is rounded up when only floating-point error would leave less than one step: 49 × (1 / 49) is less than 1.
 */
export function strengthFor(strength: number, steps: number): number {
  const left = strength * steps
  return left < 1 && left > 1 - 1e-9 ? (1 + Number.EPSILON) / steps : strength
}

/**
 * Why a strength leaves no step and which would leave one, to follow the field's name; null = it leaves at least one. The named strength has
 * at most four decimals.
 *
 * @param of What the steps belong to, such as ` of the second pass`.
 */
export function findStrengthFault(strength: number, steps: number, of = ''): string | null {
  if (strengthFor(strength, steps) * steps >= 1) return null
  if (steps === 1) return `must be 1 with a single step${of}: send 1, or use more steps.`
  return `must be at least ${Math.ceil(10_000 / steps) / 10_000} with ${steps} steps${of}, so that one of them is drawn.`
}
