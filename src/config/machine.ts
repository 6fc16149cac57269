/** What the machine and terminal offer; defaults are derived from it. */
export interface Machine {
  /** Processor cores this process may use. */
  readonly cores: number
  /** Bytes of memory this process may use. */
  readonly memoryBytes: number
  /** Whether standard output is a terminal that a person reads. */
  readonly terminal: boolean
  /** Absolute folder that relative paths of flags and environment start from. */
  readonly folder: string
}
