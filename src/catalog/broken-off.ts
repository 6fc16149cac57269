/** A download ended before its time; the next try goes on from there. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff'
}
