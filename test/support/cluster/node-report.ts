import type { NodeReport } from '../../../src/core/cluster/node.ts'

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
