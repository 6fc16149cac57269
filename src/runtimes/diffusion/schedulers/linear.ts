type Term = readonly [factor: number, values: Float32Array]

/** The sum of scaled arrays of one size; absent terms are written as null. Rounded to single precision once. */
export function linear(first: Term, ...rest: readonly (Term | null)[]): Float32Array {
  const terms: readonly Term[] = [first, ...rest.filter((term) => term !== null)]
  const [, model] = first
  const sum = new Float32Array(model.length)
  for (let i = 0; i < sum.length; i++) {
    let total = 0
    for (const [factor, values] of terms) total += factor * (values[i] ?? 0)
    sum[i] = total
  }
  return sum
}
