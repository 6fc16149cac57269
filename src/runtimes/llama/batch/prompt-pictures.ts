/** Numbers from here on stand for rows of pictures; token ids are lower. */
export const firstRowNumber = 2 ** 31

/** Whether a number of a prompt is one of the vocabulary's tokens. */
export function isToken(number: number): boolean {
  return number < firstRowNumber
}

/** A picture, or a part of one, as rows of vectors in a prompt. */
export interface PromptPicture {
  /** Place of its first row in the prompt. */
  readonly start: number
  readonly rows: number
  /** float32 [rows, width] */
  readonly vectors: Float32Array
  /** Whether its rows attend to later rows, so that all must be in one batch. */
  readonly seesAround: boolean
  /** Rows per line if they form a grid, which takes as many positions as its longer side; null = one position per row. */
  readonly columns: number | null
}

/** The position of a prompt's place in the text as the model counts it. */
export function positionAt(pictures: readonly PromptPicture[], place: number): number {
  let position = place
  for (const { start, rows, columns } of pictures) {
    if (columns === null || place <= start) continue
    position += (place < start + rows ? 0 : longerSide(rows, columns)) - Math.min(rows, place - start)
  }
  return position
}

/** Number of tokens of a prompt's prefix that can stay cached: it must not end within a picture. */
export function keepWhole(pictures: readonly PromptPicture[], keep: number): number {
  return pictures.find(({ start, rows }) => start < keep && keep < start + rows)?.start ?? keep
}

/** The picture that a place of a prompt is part of. */
export function pictureAt(pictures: readonly PromptPicture[], place: number): PromptPicture | null {
  return pictures.find(({ start, rows }) => start <= place && place < start + rows) ?? null
}

/** Places from one of a prompt up to the next picture. */
export function placesToPicture(pictures: readonly PromptPicture[], place: number): number {
  return (pictures.find(({ start }) => start >= place)?.start ?? Number.POSITIVE_INFINITY) - place
}

/**
 * Positions of a picture's rows for llama.cpp: one per row; for a grid four lists in succession (time, line, column, unused).
 *
 * @param begin The position of the picture's first row.
 */
export function rowPositions({ columns }: PromptPicture, begin: number, from: number, count: number): Int32Array {
  if (columns === null) return Int32Array.from({ length: count }, (_, row) => begin + from + row)
  const positions = new Int32Array(4 * count)
  for (let row = 0; row < count; row++) {
    positions[row] = begin
    positions[count + row] = begin + Math.floor((from + row) / columns)
    positions[2 * count + row] = begin + ((from + row) % columns)
  }
  return positions
}

function longerSide(rows: number, columns: number): number {
  return Math.max(columns, rows / columns)
}
