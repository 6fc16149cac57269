import type { ClusterNode, NodeOffer, NodeReport } from '../cluster/node.ts'
import type { Abortable } from '../waiting.ts'

/** The members of the cluster. It uses its own clock, independent of the nodes' clocks. */
export interface NodeRegistry {
  /** Id of the cluster, one word, created once even by concurrent calls. */
  cluster(options: Abortable): Promise<string>
  /** Id of the bucket shared by all nodes: stores `found` if none is stored; null = none. */
  bucket(found: string | null, options: Abortable): Promise<string | null>
  /** Stores a report and returns all nodes that reported within `deadAfterMs`, including the caller, by id. */
  report(report: NodeReport, options: Abortable): Promise<readonly ClusterNode[]>
  /** Stores the models and assets of a node, replacing earlier ones. */
  offer(nodeId: string, offer: NodeOffer, options: Abortable): Promise<void>
  /** The models and assets of a node; null = never reported, or the node has left. */
  findOffer(nodeId: string, options: Abortable): Promise<NodeOffer | null>
  /** Removes a node with its offer at once; silent nodes are removed after an hour. */
  leave(nodeId: string, options: Abortable): Promise<void>
}
