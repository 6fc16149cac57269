/** What the machine and terminal offer; defaults are derived from it. */
export interface Machine {
  /** Processor cores this process may use. */
  readonly cores: number
  /** Of these, those that are not a second thread of another one; absent = the system does not tell, or there are none. */
  readonly physicalCores?: number
  /** Bytes of memory this process may use. */
  readonly memoryBytes: number
  /** Whether standard output is a terminal that a person reads. */
  readonly terminal: boolean
  /** Absolute folder that relative paths of flags and environment start from. */
  readonly folder: string
}
