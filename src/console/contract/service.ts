import type { NodeTally } from '../../core/cluster/node.ts'

/** The state of the service, for owners. */
export interface ServiceHealth {
  /** This and all fields up to `cores` are of the answering node. */
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
  /**
   * Age of the longest waiting request over all nodes, whether it waits for a model's slot or, if asynchronous, for its turn; null = none
   * waits.
   */
  readonly queuedMs: number | null
  readonly limits: readonly ServiceLimit[]
  /** Every node of the service; only the answering one when there is no cluster. */
  readonly nodes: readonly ServiceNode[]
}

/** A node's latest report. */
export interface ServiceNode {
  readonly id: string
  /** Host name of its machine. */
  readonly host: string
  readonly role: string
  readonly version: string
  readonly draining: boolean
  /** Unix milliseconds of the report. */
  readonly seenAt: number
  /** Ids of its loaded models. */
  readonly loaded: readonly string[]
  readonly inUse: number
  readonly slots: number
  readonly waiting: number
  readonly modelMemoryBytes: number
  /** null = its version does not report it. */
  readonly tally: NodeTally | null
}

/** One limit of the service. */
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
