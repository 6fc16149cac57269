/** The node as an owner sees it. */
export interface ServiceHealth {
  readonly version: string
  readonly nodeVersion: string
  readonly platform: string
  readonly uptimeMs: number
  /** Resident bytes of this process. */
  readonly memoryBytes: number
  /** Resident bytes of all model processes. */
  readonly modelMemoryBytes: number
  readonly freeMemoryBytes: number
  /** Mean number of runnable processes over the last minute. */
  readonly load: number
  readonly cores: number
  readonly limits: readonly ServiceLimit[]
  /** Every node of the cluster; none where this one is alone. */
  readonly nodes: readonly ServiceNode[]
}

/** A node of the cluster as it told of itself in the last seconds. */
export interface ServiceNode {
  readonly id: string
  /** Name of its machine. */
  readonly host: string
  readonly role: string
  readonly version: string
  readonly draining: boolean
  /** Ids of the models that it has in memory. */
  readonly loaded: readonly string[]
  readonly inUse: number
  readonly slots: number
  readonly waiting: number
  readonly modelMemoryBytes: number
}

/** One bound the service keeps, worded for people. */
export interface ServiceLimit {
  readonly name: string
  readonly value: string
}
