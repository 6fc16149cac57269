/**
 * The number at a place of a row of numbers; a place outside of it is a fault of ours and never reads as zero.
 *
 * @throws {RangeError} When the row has no such place.
 */
export function valueAt(values: ArrayLike<number>, place: number): number {
  return values[place] ?? outside(values, place)
}

/** As `valueAt`, for what is read per pixel: taking one kind of array only, it costs what the bare index does (valueAt: 15 ×). */
export function floatAt(values: Float32Array, place: number): number {
  return values[place] ?? outside(values, place)
}

function outside(values: ArrayLike<number>, place: number): never {
  throw new RangeError(`There is no place ${place} among ${values.length} numbers.`)
}
