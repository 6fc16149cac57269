import { gridMerge } from '../../core/gguf/projector-facts.ts'
import type { PixelSize } from '../diffusion/pictures/rgb-image.ts'

/** Side of an attention window in pixels; most layers attend within their window only. */
const windowSide = 112
const hidden = -1e30
const rotationBase = 10_000

/** Structure of a tower for pictures of any size. */
export interface GridShape {
  readonly patchSize: number
  readonly headWidth: number
  /** Whether some layers look around inside of windows. */
  readonly windows: boolean
  /** Sides of the table of positions; null = it has none. */
  readonly tableSide: number | null
}

/** Values of an input and their shape. */
export interface InputValues {
  readonly values: Float32Array | Int32Array
  readonly dims: readonly number[]
}

/**
 * Inputs for the graph of a tower for pictures of any size. Patches are ordered in squares of 2 × 2, each of which becomes one row.
 *
 * @param planes float32 [3, height, width], normalized.
 */
export function gridInputs(planes: Float32Array, size: PixelSize, shape: GridShape): Readonly<Record<string, InputValues>> {
  const [columns, lines] = [size.width / shape.patchSize, size.height / shape.patchSize]
  const places = placesBySquares(columns, lines)
  return {
    patches: cutPatches(planes, size, places, shape.patchSize),
    ...turnPlaces(places, shape.headWidth),
    ...(shape.windows && cutWindows(columns / gridMerge, lines / gridMerge, windowSide / shape.patchSize / gridMerge)),
    ...(shape.tableSide !== null && weighPlaces(places, { columns, lines }, shape.tableSide)),
  }
}

interface Place {
  readonly line: number
  readonly column: number
}

function placesBySquares(columns: number, lines: number): readonly Place[] {
  const perSquare = gridMerge * gridMerge
  return Array.from({ length: columns * lines }, (_, index) => {
    const [square, inside] = [Math.floor(index / perSquare), index % perSquare]
    const squares = columns / gridMerge
    return {
      line: gridMerge * Math.floor(square / squares) + Math.floor(inside / gridMerge),
      column: gridMerge * (square % squares) + (inside % gridMerge),
    }
  })
}

function cutPatches(planes: Float32Array, { width, height }: PixelSize, places: readonly Place[], side: number): InputValues {
  const values = new Float32Array(planes.length)
  let at = 0
  for (const { line, column } of places)
    for (let colour = 0; colour < 3; colour++)
      for (let y = 0; y < side; y++) {
        const start = (colour * height + line * side + y) * width + column * side
        values.set(planes.subarray(start, start + side), at)
        at += side
      }
  return { values, dims: [places.length, 3 * side * side] }
}

/** The angles of lines in the first half of a head's pairs, those of columns in the second. @see Wang et al. 2024, arXiv:2409.12191, section 2.1 */
function turnPlaces(places: readonly Place[], headWidth: number): Readonly<Record<'cos' | 'sin', InputValues>> {
  const [pairs, perAxis] = [headWidth / 2, headWidth / 4]
  const dims = [places.length, pairs]
  const [cos, sin] = [new Float32Array(places.length * pairs), new Float32Array(places.length * pairs)]
  for (const [index, { line, column }] of places.entries())
    for (let pair = 0; pair < pairs; pair++) {
      const angle = (pair < perAxis ? line : column) * rotationBase ** (-(pair % perAxis) / perAxis)
      cos[index * pairs + pair] = Math.cos(angle)
      sin[index * pairs + pair] = Math.sin(angle)
    }
  return { cos: { values: cos, dims }, sin: { values: sin, dims } }
}

/** Patches of each window, each patch's position afterwards, and masked positions of incomplete windows at the edges. */
function cutWindows(columns: number, lines: number, side: number): Readonly<Record<'windows' | 'back' | 'mask', InputValues>> {
  const perSquare = gridMerge * gridMerge
  const room = side * side * perSquare
  const [across, down] = [Math.ceil(columns / side), Math.ceil(lines / side)]
  const count = across * down
  const windows = new Int32Array(count * room)
  const back = new Int32Array(columns * lines * perSquare)
  const filled = new Int32Array(count)
  for (let square = 0; square < columns * lines; square++) {
    const window = Math.floor(Math.floor(square / columns) / side) * across + Math.floor((square % columns) / side)
    for (let inside = 0; inside < perSquare; inside++) {
      const patch = square * perSquare + inside
      const place = window * room + (filled[window] ?? 0)
      windows[place] = patch
      back[patch] = place
      filled[window] = (filled[window] ?? 0) + 1
    }
  }
  const mask = new Float32Array(count * room * room)
  for (const [window, end] of filled.entries())
    for (let row = 0; row < room; row++) mask.fill(hidden, (window * room + row) * room + end, (window * room + row + 1) * room)
  return {
    windows: { values: windows, dims: [count, room] },
    back: { values: back, dims: [back.length] },
    mask: { values: mask, dims: [count, 1, room, room] },
  }
}

/** The four entries of the position table interpolated for each position (corner-aligned), and their weights. */
function weighPlaces(
  places: readonly Place[],
  { columns, lines }: { readonly columns: number; readonly lines: number },
  side: number,
): Readonly<Record<'entries' | 'shares', InputValues>> {
  const entries = new Int32Array(4 * places.length)
  const shares = new Float32Array(4 * places.length)
  for (const [index, { line, column }] of places.entries()) {
    const [y, x] = [between(line, lines, side), between(column, columns, side)]
    for (let corner = 0; corner < 4; corner++) {
      const [low, left] = [corner < 2, corner % 2 === 0]
      entries[corner * places.length + index] = (low ? y.first : y.second) * side + (left ? x.first : x.second)
      shares[corner * places.length + index] = (low ? 1 - y.share : y.share) * (left ? 1 - x.share : x.share)
    }
  }
  return { entries: { values: entries, dims: [4, places.length] }, shares: { values: shares, dims: [4, places.length, 1] } }
}

function between(place: number, count: number, side: number): { readonly first: number; readonly second: number; readonly share: number } {
  const at = count > 1 ? (place * (side - 1)) / (count - 1) : 0
  const first = Math.min(Math.floor(at), side - 1)
  return { first, second: Math.min(first + 1, side - 1), share: at - first }
}
