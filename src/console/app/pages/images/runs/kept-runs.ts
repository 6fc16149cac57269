import { effect } from '@preact/signals'
import { forgetRecord, keepRecord, readRecords } from '../../../browser/kept-records.ts'
import { picturesOf } from '../../../interface/submit-image.ts'
import { ownPrefix } from '../../../state/session.ts'
import { type ImageRun, imageRuns } from './image-runs.ts'

/** Pictures are stored, and repeated requests recognized, for a day. */
export const keptMs = 24 * 60 * 60 * 1000

/** The stored state of each run outside grids, by its submission key; empty = not stored. */
const stored = new Map<string, string>()

effect(() => {
  // A repeated request has the same key as the run that failed; the newest run counts.
  const newest = new Map(imageRuns.value.toReversed().map((run) => [run.submissionKey, run]))
  for (const [submissionKey, run] of newest) {
    const state = stateOf(run)
    if (run.grid !== null || (stored.get(submissionKey) ?? '') === state) continue
    stored.set(submissionKey, state)
    if (state === '') forgetRun(run)
    else void keepRecord(ownPrefix('runs') + submissionKey, run)
  }
})

/**
 * What this browser stores of a run: that the service may not have it yet, or the pictures of its request, which the service does not
 * store; empty = nothing.
 */
function stateOf({ id, state, connectionLost, failure, body }: ImageRun): string {
  if (id === null) return state === 'sending' || connectionLost ? `${state} ${failure ?? ''}` : ''
  return state !== 'failed' && state !== 'cancelled' && picturesOf(body).length > 0 ? id : ''
}

/** The runs outside grids that earlier pages stored, except those whose pictures the service no longer has. */
export async function readKeptRuns(): Promise<readonly ImageRun[]> {
  const runs = [...(await readRecords<ImageRun>(ownPrefix('runs'))).values()]
  return runs.filter((run) => {
    const isOver = Date.now() - run.key > keptMs
    if (isOver) forgetRun(run)
    else stored.set(run.submissionKey, stateOf(run))
    return !isOver
  })
}

/** Deletes what this browser stores of a run. */
export function forgetRun({ submissionKey }: Pick<ImageRun, 'submissionKey'>): void {
  void forgetRecord(ownPrefix('runs') + submissionKey)
}
