import { floatAt } from '../value-at.ts'

type Term = readonly [factor: number, values: Float32Array]

/** The sum of scaled arrays of one size; absent terms are written as null. Rounded to single precision once. */
export function linear(first: Term, ...rest: readonly (Term | null)[]): Float32Array {
  const sums = new Float64Array(first[1].length)
  add(sums, first)
  for (const term of rest) if (term !== null) add(sums, term)
  return new Float32Array(sums)
}

function add(sums: Float64Array, [factor, values]: Term): void {
  for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + factor * floatAt(values, i)
}
