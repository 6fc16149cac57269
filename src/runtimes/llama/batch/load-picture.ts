import type { DecodingContext } from '../binding/native-context.ts'
import type { LoadedEntry } from './load-batch.ts'
import { type PromptPicture, pictureAt, positionAt, rowPositions } from './prompt-pictures.ts'
import type { RunningGeneration } from './running-generation.ts'
import type { SequenceTable } from './sequence-table.ts'

/** A generation that comes to a picture. */
interface Seeing {
  readonly running: RunningGeneration
  readonly picture: PromptPicture
}

/** The oldest of the generations that come to a picture, and whether others come to tokens; null = none does. */
export function findPicture(
  running: readonly RunningGeneration[],
  table: SequenceTable,
): (Seeing & { readonly othersGoOn: boolean }) | null {
  const seeing = running.flatMap((each): readonly Seeing[] => {
    const { pictures } = each.hold
    const picture = pictures.length === 0 ? null : pictureAt(pictures, table.length(each.hold))
    return picture === null ? [] : [{ running: each, picture }]
  })
  const [first] = seeing.toSorted((a, b) => a.running.arrival - b.running.arrival)
  return first === undefined ? null : { ...first, othersGoOn: seeing.length < running.length }
}

/** Fills the batch with a picture's rows, all or up to `most`. */
export function loadPicture(
  { context, table }: { readonly context: DecodingContext; readonly table: SequenceTable },
  { running: each, picture }: Seeing,
  most: number,
): LoadedEntry {
  const { hold, next } = each
  const from = table.length(hold) - picture.start
  const count = picture.seesAround ? picture.rows : Math.min(picture.rows - from, most)
  const width = picture.vectors.length / picture.rows
  const vectors = picture.vectors.subarray(from * width, (from + count) * width)
  const positions = rowPositions(picture, positionAt(hold.pictures, picture.start), from, count)
  const wanted = count === next.length
  context.initBatch()
  const index = context.fillBatchWithRows(hold.id, { vectors, positions, count }, { seesAround: picture.seesAround, wanted })
  return { running: each, tokens: next.subarray(0, count), guess: none, indices: wanted ? [index] : none, scores: [] }
}

const none = new Uint32Array()
