/** Angles as a graph takes them: cosines and sines, [places, half of the head's width]. */
export interface Angles {
  readonly cos: Float32Array
  readonly sin: Float32Array
  readonly places: number
}

/** A token's place on each axis. */
export type Place = readonly number[]

/**
 * The angles by which queries and keys of tokens at some places are turned.
 *
 * @param axes Elements of a head that each axis turns.
 * @see Su et al. 2021, arXiv:2104.09864
 */
export function anglesAt(places: readonly Place[], { theta, axes }: { readonly theta: number; readonly axes: readonly number[] }): Angles {
  const frequencies = axes.flatMap((size, axis) =>
    Array.from({ length: size / 2 }, (_, i) => ({ axis, omega: theta ** ((-2 * i) / size) })),
  )
  const cos = new Float32Array(places.length * frequencies.length)
  const sin = new Float32Array(cos.length)
  let at = 0
  for (const place of places) {
    for (const { axis, omega } of frequencies) {
      const angle = (place[axis] ?? 0) * omega
      cos[at] = Math.cos(angle)
      sin[at] = Math.sin(angle)
      at++
    }
  }
  return { cos, sin, places: places.length }
}

/** The places of a picture's tokens, row by row. */
export function gridPlaces(
  { rows, columns }: { readonly rows: number; readonly columns: number },
  place: (row: number, column: number) => Place,
): readonly Place[] {
  return Array.from({ length: rows * columns }, (_, i) => place(Math.floor(i / columns), i % columns))
}
