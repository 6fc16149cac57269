import { attraction, boundedLoad } from '../core/cluster/attraction.ts'
import type { ModelState } from '../core/ports/model-pool.ts'

/** A node as a candidate for a request. */
export interface NodeView {
  readonly id: string
  readonly draining: boolean
  /** State of the requested model there. */
  readonly model: Pick<ModelState, 'state' | 'slots' | 'inUse' | 'waiting'>
  /** Slots of the model that this node holds or waits for there; the node's own report may be older. */
  readonly held: number
}

/**
 * Chooses the node for a request: one that has the model loaded and is not overloaded, else one that can load it.
 *
 * Among equal nodes a conversation goes to the node of its key unless that has no free slot and more than 1.25 times its share of the load
 * ("consistent hashing with bounded loads", Mirrokni, Thorup and Zadimoghaddam 2016); then, or without a key, the least loaded node is
 * chosen.
 *
 * @param wanted.key Requests with the same key prefer the same node; null = no preference.
 * @param wanted.excluded Ids of nodes that failed already.
 * @returns Its id; null = no node.
 */
export function chooseNode(
  nodes: readonly NodeView[],
  { key, excluded }: { readonly key: string | null; readonly excluded: ReadonlySet<string> },
): string | null {
  const able = nodes.filter(({ id, draining }) => !draining && !excluded.has(id))
  const bestTier = Math.min(...able.map(tierOf))
  const equals = able.filter((node) => tierOf(node) === bestTier)
  const total = equals.reduce((sum, node) => sum + loadOf(node), 0) + 1
  const slots = equals.reduce((sum, node) => sum + slotsOf(node), 0)
  const ranked = equals.map((node) => ({
    id: node.id,
    // A free slot suffices regardless of the share: a report may still count the turn of the conversation that has just ended there.
    isOver: key === null || loadOf(node) + 1 > Math.max(slotsOf(node), Math.ceil((boundedLoad * total * slotsOf(node)) / slots)),
    pull: key === null ? 0 : attraction(key, { name: node.id, weight: slotsOf(node) }),
    fullness: loadOf(node) / slotsOf(node),
  }))
  ranked.sort((a, b) => {
    if (a.isOver !== b.isOver) return a.isOver ? 1 : -1
    if (!a.isOver) return b.pull - a.pull
    return a.fullness - b.fullness || (a.id < b.id ? -1 : 1)
  })
  return ranked[0]?.id ?? null
}

/** Loading takes seconds and unloads other models, so it only pays off if the loaded model has work for twice its slots. */
function tierOf(node: NodeView): number {
  const { state } = node.model
  if (state === 'backing-off') return 3
  if (state === 'unloaded') return 1
  return loadOf(node) < 2 * slotsOf(node) ? 0 : 2
}

function loadOf({ model, held }: NodeView): number {
  return Math.max(model.inUse + model.waiting, held)
}

function slotsOf({ model }: NodeView): number {
  return Math.max(1, model.slots)
}
