import { floatAt, valueAt } from '../../value-at.ts'

/** Numbers with their sizes: rows, columns, and of a convolution height and width. */
export interface Matrix {
  readonly values: Float32Array
  readonly shape: readonly number[]
}

/** Rows and columns of a matrix; a convolution's columns are inputs · height · width. */
export function sizesOf({ shape: [rows = 1, ...inner] }: Matrix): readonly [rows: number, columns: number] {
  return [rows, inner.reduce((product, size) => product * size, 1)]
}

/** a · b; b may be a convolution. */
export function multiply(a: Matrix, b: Matrix): Matrix {
  const [rows, shared] = sizesOf(a)
  const [, columns] = sizesOf(b)
  const values = new Float32Array(rows * columns)
  for (let i = 0; i < rows; i++)
    for (let k = 0; k < shared; k++) {
      const factor = floatAt(a.values, i * shared + k)
      for (let j = 0; j < columns; j++)
        values[i * columns + j] = floatAt(values, i * columns + j) + factor * floatAt(b.values, k * columns + j)
    }
  return { values, shape: [rows, ...b.shape.slice(1)] }
}

/** Σ over the first sizes of a core [a, b, height, width] with factors [a, rows] (transposed) and [b, columns]. @see Tucker 1966 */
export function expandCore(core: Matrix, rowsOf: Matrix, columnsOf: Matrix): Matrix {
  const [first = 1, second = 1, height = 1, width = 1] = core.shape
  const area = height * width
  const [, columns] = sizesOf(columnsOf)
  // First the columns of each row of the core: [a, columns, area].
  const inner = new Float32Array(first * columns * area)
  for (let i = 0; i < first; i++)
    for (let j = 0; j < second; j++)
      for (let r = 0; r < columns; r++) {
        const factor = floatAt(columnsOf.values, j * columns + r)
        for (let s = 0; s < area; s++) {
          const at = (i * columns + r) * area + s
          inner[at] = floatAt(inner, at) + factor * floatAt(core.values, (i * second + j) * area + s)
        }
      }
  return multiply(transpose(rowsOf), { values: inner, shape: [first, columns, height, width] })
}

/** Rows as columns. */
function transpose(matrix: Matrix): Matrix {
  const [rows, columns] = sizesOf(matrix)
  const values = new Float32Array(matrix.values.length)
  for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) values[j * rows + i] = floatAt(matrix.values, i * columns + j)
  return { values, shape: [columns, rows] }
}

/** The product of two matrices' numbers, one by one. */
export function hadamard(a: Matrix, b: Matrix): Matrix {
  return { values: a.values.map((value, i) => value * valueAt(b.values, i)), shape: a.shape }
}

/** Every number of one matrix times the whole other; the other may be a convolution. */
export function kronecker(outer: Matrix, inner: Matrix): Matrix {
  const [a, b] = sizesOf(outer)
  const [c = 1, d = 1, ...area] = inner.shape
  const size = area.reduce((product, each) => product * each, 1)
  const values = new Float32Array(a * b * c * d * size)
  let at = 0
  for (let i = 0; i < a; i++)
    for (let k = 0; k < c; k++)
      for (let j = 0; j < b; j++)
        for (let l = 0; l < d; l++)
          for (let s = 0; s < size; s++) values[at++] = floatAt(outer.values, i * b + j) * floatAt(inner.values, (k * d + l) * size + s)
  return { values, shape: [a * c, b * d, ...area] }
}

/** Some of the rows, as shares of all. */
export function shareOf(
  matrix: Matrix,
  rows: { readonly first: number; readonly count: number; readonly all: number } | undefined,
): Matrix {
  if (rows === undefined) return matrix
  const [all, columns] = sizesOf(matrix)
  const [first, count] = [(all * rows.first) / rows.all, (all * rows.count) / rows.all]
  return { values: matrix.values.subarray(first * columns, (first + count) * columns), shape: [count, ...matrix.shape.slice(1)] }
}
