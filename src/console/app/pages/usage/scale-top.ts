/** The end of an axis: the next 1, 2, 4, 6, 8 or 10 times a power of ten, so that its half is a round number too. */
export function scaleTop(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, highest)))
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= highest) ?? 10
  return Math.max(2, step * power)
}
