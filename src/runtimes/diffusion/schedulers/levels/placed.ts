/** Reads a schedule by place; behind its ends there is `beyond`. */
export function placed(values: ArrayLike<number>, beyond = 0): (place: number) => number {
  return (place) => values[place] ?? beyond
}
