/**
 * The number at a place of a row of numbers; a place outside of it is a fault of ours and never reads as zero.
 *
 * @throws {RangeError} When the row has no such place.
 */
export function valueAt(values: ArrayLike<number>, place: number): number {
  return values[place] ?? outside(values, place)
}

/** Like `valueAt`, for per-pixel access: with one array type only, it costs as much as plain indexing (`valueAt`: 15 ×). */
export function floatAt(values: Float32Array, place: number): number {
  return values[place] ?? outside(values, place)
}

function outside(values: ArrayLike<number>, place: number): never {
  throw new RangeError(`There is no place ${place} among ${values.length} numbers.`)
}
