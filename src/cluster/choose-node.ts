import { attraction, boundedLoad } from '../core/cluster/attraction.ts'
import type { ModelState } from '../core/ports/model-pool.ts'

/** A node that a request could run on, as the choice between them sees it. */
export interface NodeView {
  readonly id: string
  readonly draining: boolean
  /** How the wanted model stands there. */
  readonly model: Pick<ModelState, 'state' | 'slots' | 'inUse' | 'waiting'>
  /** Slots of the model that we hold or wait for there: the node's own report may be older. */
  readonly held: number
}

/**
 * The node that a request runs on: one that has the model loaded and is not buried in work, else one that can load it.
 *
 * Among equals a conversation stays where its key leads unless that node has no free slot and more than 1.25 times its share of the load ("consistent
 * hashing with bounded loads", Mirrokni, Thorup and Zadimoghaddam 2016); then, and where there is no key, the least loaded comes first.
 *
 * @param wanted.key What should come to the same node again; null = nothing.
 * @param wanted.excluded Ids of nodes that were tried in vain.
 * @returns Its id; null when there is none.
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
    // A free slot is enough, however small the share: a report may still count the turn that the conversation has just ended there.
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

/** Loading takes seconds and displaces others, so that it is worth it only where a loaded model has twice its slots to do. */
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
