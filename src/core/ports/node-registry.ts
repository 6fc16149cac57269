import type { ClusterNode, NodeOffer, NodeReport } from '../cluster/node.ts'

type Options = { readonly signal: AbortSignal }

/** The members of the cluster. It uses its own clock, independent of the nodes' clocks. */
export interface NodeRegistry {
  /** Id of the cluster, one word, created once even by concurrent calls. */
  cluster(options: Options): Promise<string>
  /** Id of the bucket shared by all nodes: stores `found` if none is stored; null = none. */
  bucket(found: string | null, options: Options): Promise<string | null>
  /** Stores a report and returns all nodes that reported within `deadAfterMs`, including the caller, by id. */
  report(report: NodeReport, options: Options): Promise<readonly ClusterNode[]>
  /** Stores the models and assets of a node, replacing earlier ones. */
  offer(nodeId: string, offer: NodeOffer, options: Options): Promise<void>
  /** The models and assets of a node; null = never reported, or the node has left. */
  findOffer(nodeId: string, options: Options): Promise<NodeOffer | null>
  /** Removes a node at once; silent nodes are removed within an hour. */
  leave(nodeId: string, options: Options): Promise<void>
}
