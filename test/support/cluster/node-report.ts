import type { NodeReport, NodeTally } from '../../../src/core/cluster/node.ts'

/** Of a node that has done nothing yet. */
export const idleTally: NodeTally = {
  ...{ startedAt: 0, completionTokens: 0, requests: 0, residentBytes: 0 },
  firstTokens: { count: 0, seconds: 0 },
  steps: { count: 0, seconds: 0 },
}

/** A node that lends slots and has no models yet. */
export function makeNodeReport(id: string, overrides: Partial<NodeReport> = {}): NodeReport {
  return {
    id,
    role: 'all',
    url: `http://${id}:8081`,
    host: id,
    version: '0.1.0',
    draining: false,
    memoryBytes: 1_000_000,
    models: [],
    offer: 'one',
    ...overrides,
  }
}
