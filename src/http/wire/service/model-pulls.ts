import { type PlacedPull, withoutAddress } from '../../../core/model-pull.ts'
import type { Answer } from '../answer.ts'
import type { modelPullSchema } from './model-answers.ts'

/** Models that are on their way, for the list of models; the field is absent when there are none. */
export function encodePulls(pulls: readonly PlacedPull[]): { readonly pulls?: readonly Answer<typeof modelPullSchema>[] } {
  const running = pulls.filter(({ state }) => state === 'pulling').map(withoutAddress)
  if (running.length === 0) return {}
  return {
    pulls: running.map(({ source, bytesDone, bytesTotal, bytesPerSecond, node }) => ({
      source,
      bytes_done: bytesDone,
      bytes_total: bytesTotal === 0 ? null : bytesTotal,
      bytes_per_second: bytesPerSecond === null ? null : Math.round(bytesPerSecond),
      node,
    })),
  }
}
