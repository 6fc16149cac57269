import type { DecodingContext, LogitIndex } from '../binding/native-context.ts'
import type { BatchEntry, Pending } from './plan-batch.ts'
import { pictureAt, placesToPicture } from './prompt-pictures.ts'
import type { RunningGeneration } from './running-generation.ts'
import type { SequenceTable } from './sequence-table.ts'

/** A generation's part of a batch. */
export interface LoadedEntry {
  readonly running: RunningGeneration
  readonly tokens: Uint32Array
  /** Guesses that follow them in the batch. */
  readonly guess: Uint32Array
  /** Positions of the logits after the last token and after each guess; empty while the prompt is incomplete. */
  readonly indices: ArrayLike<LogitIndex> & Iterable<LogitIndex>
  /** Positions of the logits for scoring prompt tokens, and these tokens. */
  readonly scores: readonly { readonly index: LogitIndex; readonly token: number }[]
}

/** Whether a generation still needs log probabilities of its prompt. */
function wantsScores({ generation, drawn }: RunningGeneration): boolean {
  return generation.onPromptToken !== null && drawn === 0
}

/** Maximum prompt tokens scored per batch: each needs logits for the whole vocabulary. */
const maxScored = 64

/** The tokens that running generations come to, up to the next picture of each. */
export function pendingTokens(running: readonly RunningGeneration[], table: SequenceTable): readonly Pending[] {
  return running.flatMap((each): readonly Pending[] => {
    const { hold, next, arrival } = each
    const pending = { id: hold.id, tokens: next.length, arrival }
    if (wantsScores(each)) return [{ ...pending, most: maxScored }]
    if (hold.pictures.length === 0) return [pending]
    const place = table.length(hold)
    if (pictureAt(hold.pictures, place) !== null) return []
    const most = placesToPicture(hold.pictures, place)
    return [most < next.length ? { ...pending, most } : pending]
  })
}

/** Puts the planned tokens of running generations into the context's batch, with the tokens guessed to follow them. */
export function loadBatch(
  { context, table }: { readonly context: DecodingContext; readonly table: SequenceTable },
  running: readonly RunningGeneration[],
  plan: readonly BatchEntry[],
): readonly LoadedEntry[] {
  const byId = new Map(running.map((each) => [each.hold.id, each]))
  const taken = plan.flatMap(({ id, count, complete }) => {
    const each = byId.get(id)
    return each === undefined ? [] : [{ running: each, tokens: each.next.subarray(0, count), complete }]
  })
  context.initBatch()
  return taken.map(({ running: each, tokens, complete }) => {
    const guess = complete ? each.guess : none
    const all = guess.length === 0 ? tokens : Uint32Array.of(...tokens, ...guess)
    const [start, position] = [table.length(each.hold), table.position(each.hold)]
    if (!wantsScores(each)) {
      const drawn = complete ? places(tokens.length - 1, all.length) : none
      return { running: each, tokens, guess, indices: context.addToBatch(each.hold.id, position, all, drawn), scores: [] }
    }
    const read = context.addToBatch(each.hold.id, position, all, places(0, all.length))
    const scores = [...read.subarray(0, tokens.length)].flatMap((index, at) => {
      const token = each.generation.prompt[start + at + 1]
      return token === undefined ? [] : [{ index, token }]
    })
    return { running: each, tokens, guess, indices: complete ? read.subarray(tokens.length - 1) : none, scores }
  })
}

const none = new Uint32Array()

/** The places from `first` up to `end`. */
function places(first: number, end: number): Uint32Array {
  const found = new Uint32Array(end - first)
  for (const index of found.keys()) found[index] = first + index
  return found
}
