import type { ModelState } from '../core/ports/model-pool.ts'

/** Better first. */
const order: readonly ModelState['state'][] = ['loaded', 'loading', 'unloaded', 'backing-off']

/** Merges the states of each model on several nodes: the best state, and sums. */
export function mergeStates(nodes: readonly (readonly ModelState[])[]): readonly ModelState[] {
  return [...Map.groupBy(nodes.flat(), ({ modelId }) => modelId).values()].flatMap((states) => {
    const best = [...states].sort((a, b) => order.indexOf(a.state) - order.indexOf(b.state))[0]
    if (best === undefined) return []
    const sum = (read: (state: ModelState) => number) => states.reduce((total, state) => total + read(state), 0)
    const { waitingSince: _, ...other } = best
    const since = states.flatMap(({ waitingSince }) => waitingSince ?? [])
    return [
      {
        ...other,
        ...(since.length > 0 && { waitingSince: Math.min(...since) }),
        nodes: states.filter(({ state }) => state === 'loaded').length,
        memoryBytes: sum(({ memoryBytes }) => memoryBytes),
        slots: sum(({ slots }) => slots),
        inUse: sum(({ inUse }) => inUse),
        waiting: sum(({ waiting }) => waiting),
      },
    ]
  })
}
