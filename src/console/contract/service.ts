import type { NodeTally } from '../../core/cluster/node.ts'

/** The service as an owner sees it. */
export interface ServiceHealth {
  /** Of the node that was asked, as all up to `cores`. */
  readonly version: string
  readonly nodeVersion: string
  readonly platform: string
  readonly uptimeMs: number
  /** Resident bytes of its process. */
  readonly memoryBytes: number
  /** Resident bytes of its model processes. */
  readonly modelMemoryBytes: number
  readonly freeMemoryBytes: number
  /** Mean number of runnable processes over the last minute. */
  readonly load: number
  readonly cores: number
  /** For how long the longest waiting request has waited, for a slot of a model or, asynchronous, for its turn, of all nodes; null = none waits. */
  readonly queuedMs: number | null
  readonly limits: readonly ServiceLimit[]
  /** Every node of the service; the one that was asked alone where there is no cluster. */
  readonly nodes: readonly ServiceNode[]
}

/** A node as it reported itself in the last seconds. */
export interface ServiceNode {
  readonly id: string
  /** Name of its machine. */
  readonly host: string
  readonly role: string
  readonly version: string
  readonly draining: boolean
  /** Unix milliseconds of the report. */
  readonly seenAt: number
  /** Ids of the models that it has in memory. */
  readonly loaded: readonly string[]
  readonly inUse: number
  readonly slots: number
  readonly waiting: number
  readonly modelMemoryBytes: number
  /** null = a version that does not report it. */
  readonly tally: NodeTally | null
}

/** One bound the service keeps. */
export interface ServiceLimit {
  readonly name: ServiceLimitName
  /** In its unit: bytes, milliseconds, a share of 1, or a count; null = no limit. */
  readonly most: number | null
}

export type ServiceLimitName =
  | 'modelMemoryBytes'
  | 'threadsPerEngine'
  | 'sequencesPerTextModel'
  | 'waitingPerTextModel'
  | 'waitingPerImageModel'
  | 'waitingAsynchronous'
  | 'shareOfQueue'
  | 'storedBytesPerAccount'
  | 'keptBytesPerAccount'
  | 'requestsPerMinute'
  | 'waitForModelMs'
  | 'runMs'
  | 'synchronousBodyBytes'
  | 'asynchronousBodyBytes'
