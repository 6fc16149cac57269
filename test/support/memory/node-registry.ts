import { randomUUID } from 'node:crypto'
import { type ClusterNode, deadAfterMs, type NodeOffer, type NodeReport } from '../../../src/core/cluster/node.ts'
import { type Clock, hourMs } from '../../../src/core/ports/clock.ts'
import type { NodeRegistry } from '../../../src/core/ports/node-registry.ts'

/** A registry that several nodes of one process share, for tests. */
export function createMemoryNodeRegistry({ clock }: { readonly clock: Clock }): NodeRegistry {
  const id = randomUUID()
  let bucket: string | null = null
  const nodes = new Map<string, Omit<ClusterNode, 'hasOffer'>>()
  const offers = new Map<string, NodeOffer>()
  const forget = (nodeId: string) => {
    nodes.delete(nodeId)
    offers.delete(nodeId)
  }
  return {
    async cluster({ signal }) {
      signal.throwIfAborted()
      return id
    },
    async bucket(found, { signal }) {
      signal.throwIfAborted()
      bucket ??= found
      return bucket
    },
    async report(report: NodeReport, { signal }) {
      signal.throwIfAborted()
      nodes.set(report.id, { ...report, seenAt: clock.now() })
      for (const { id: silent, seenAt } of nodes.values()) if (clock.now() - seenAt > hourMs) forget(silent)
      return [...nodes.values()]
        .filter(({ seenAt }) => clock.now() - seenAt < deadAfterMs)
        .map((node) => ({ ...node, hasOffer: offers.has(node.id) }))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    async offer(nodeId, offer, { signal }) {
      signal.throwIfAborted()
      offers.set(nodeId, offer)
    },
    async findOffer(nodeId, { signal }) {
      signal.throwIfAborted()
      return offers.get(nodeId) ?? null
    },
    async leave(nodeId, { signal }) {
      signal.throwIfAborted()
      forget(nodeId)
    },
  }
}
