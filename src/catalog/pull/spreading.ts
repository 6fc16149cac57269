/** Over how many connections a large file comes. */
export interface Spreading {
  /** Smaller files come over one. */
  readonly leastBytes: number
  readonly connections: number
}

export const usualSpreading: Spreading = { leastBytes: 256 * 1024 * 1024, connections: 4 }
