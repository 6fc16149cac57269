import type { ClusterNode, NodeOffer, NodeReport } from '../cluster/node.ts'

type Options = { readonly signal: AbortSignal }

/** The members of the cluster. Time is the registry's own, independent of the nodes' clocks. */
export interface NodeRegistry {
  /** The id of the cluster, one word, made once however many nodes ask at once. */
  cluster(options: Options): Promise<string>
  /** The id of the bucket in which all nodes keep outputs: `found` from now on where none was noted before; null = none is. */
  bucket(found: string | null, options: Options): Promise<string | null>
  /** Notes a report and answers every node that was heard of within `deadAfterMs`, itself among them, by id. */
  report(report: NodeReport, options: Options): Promise<readonly ClusterNode[]>
  /** Keeps what a node offers in place of what it offered before. */
  offer(nodeId: string, offer: NodeOffer, options: Options): Promise<void>
  /** What a node offers; null when it never said so, or has left. */
  findOffer(nodeId: string, options: Options): Promise<NodeOffer | null>
  /** Forgets a node at once; silence does the same within the hour. */
  leave(nodeId: string, options: Options): Promise<void>
}
