import type { AssetDescriptor } from '../assets/asset.ts'
import type { ModelDescriptor } from '../model.ts'
import type { ModelPull } from '../model-pull.ts'
import type { ModelState } from '../ports/model-pool.ts'

/** What a node does: answer clients, compute, or both. */
export const nodeRoles = ['all', 'api', 'worker'] as const
export type NodeRole = (typeof nodeRoles)[number]

/** What a node says about itself every {@link reportEveryMs}. */
export interface NodeReport {
  /** Of one life of one process. */
  readonly id: string
  readonly role: NodeRole
  /** Where other nodes ask for slots; null = it lends none. */
  readonly url: string | null
  /** Name of its machine. */
  readonly host: string
  /** Version of the program. */
  readonly version: string
  /** The latest format of waiting requests that it reads; absent = 3, as of nodes that do not say. */
  readonly workFormat?: number
  /** The latest format of leases that it grants; absent = 1, as of nodes that do not say. */
  readonly leaseFormat?: number
  /** Whether it takes no new work any more. */
  readonly draining: boolean
  /** Bytes that all its models may use. */
  readonly memoryBytes: number
  /** The state of each model that it lends slots of. */
  readonly models: readonly ModelState[]
  /** Absent = a version that did not tell. */
  readonly tally?: NodeTally
  /** The latest of the models that it pulls; absent = none, or a version that did not tell. */
  readonly pulls?: readonly ModelPull[]
  /** Pulls of other nodes that somebody here stopped, until they are gone. */
  readonly stoppedPulls?: readonly NamedPull[]
  /** Pulls that somebody here wants another node to begin, until it tells of them. */
  readonly wantedPulls?: readonly NamedPull[]
  /** Whether it begins pulls that others want of it; absent = no, as of versions that do not say. */
  readonly takesPulls?: boolean
  /** Changes whenever its {@link NodeOffer} does. */
  readonly offer: string
}

/** One pull of one node. */
export interface NamedPull extends Pick<ModelPull, 'source' | 'startedAt'> {
  /** Id of the node. */
  readonly node: string
}

/** What requests may name on a node. */
export interface NodeOffer {
  readonly models: readonly ModelDescriptor[]
  readonly assets: readonly AssetDescriptor[]
}

/** A node that was heard of lately. */
export interface ClusterNode extends NodeReport {
  /** Unix milliseconds of its last report, by the registry's clock. */
  readonly seenAt: number
}

/** How often a node reports. */
export const reportEveryMs = 2000
/** Silence after which a node counts as dead. */
export const deadAfterMs = 6000

/** A number of things and the seconds that they took together. */
export interface Timed {
  readonly count: number
  readonly seconds: number
}

/** What a node has done since it started, in sums that only grow, and the memory it has now. */
export interface NodeTally {
  /** Unix milliseconds; another value means that the sums were reset. */
  readonly startedAt: number
  /** Of its own models, whichever node was asked. */
  readonly completionTokens: number
  /** Of those who asked here: pieces of work on a model, ended however they did. */
  readonly requests: number
  /** From a request to its first token. */
  readonly firstTokens: Timed
  /** Denoising steps of one picture. */
  readonly steps: Timed
  /** Resident bytes of its process, without those of its models. */
  readonly residentBytes: number
}
