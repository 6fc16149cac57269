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
}

/** One bound the service keeps, worded for people. */
export interface ServiceLimit {
  readonly name: string
  readonly value: string
}
