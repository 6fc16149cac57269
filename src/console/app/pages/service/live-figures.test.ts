import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeTally } from '../../../../core/cluster/node.ts'
import type { ServiceHealth, ServiceNode } from '../../../contract/service.ts'
import { figuresOf, figuresOfNode } from './live-figures.ts'

const health: Omit<ServiceHealth, 'nodes'> = {
  ...{ version: '1', nodeVersion: '24', platform: 'linux', uptimeMs: 1, freeMemoryBytes: 1, load: 0, cores: 2, limits: [] },
  ...{ memoryBytes: 100, modelMemoryBytes: 50, queuedMs: 700 },
}
const idle: NodeTally = {
  ...{ startedAt: 5, completionTokens: 0, requests: 0, residentBytes: 100 },
  ...{ firstTokens: { count: 0, seconds: 0 }, steps: { count: 0, seconds: 0 } },
}
const node = (id: string, seenAt: number, tally: Partial<NodeTally> | null = {}): ServiceNode => ({
  ...{ id, host: id, role: 'all', version: '1', draining: false, seenAt, loaded: [], inUse: 1, slots: 2, waiting: 3, modelMemoryBytes: 50 },
  tally: tally && { ...idle, ...tally },
})
const at = (...nodes: readonly ServiceNode[]): ServiceHealth => ({ ...health, nodes })

test('figures are totals over all nodes, each measured between its own reports', () => {
  const before = at(node('a', 1000, { completionTokens: 10, firstTokens: { count: 2, seconds: 5 } }), node('b', 2000))
  const after = at(
    node('a', 5000, { completionTokens: 50, firstTokens: { count: 4, seconds: 5.5 } }),
    node('b', 6000, { completionTokens: 20, steps: { count: 4, seconds: 2 }, requests: 8 }),
  )
  assert.deepEqual(figuresOf([before, after]), {
    ...{ tokensPerSecond: 15, requestsPerSecond: 2, firstTokenMs: 250, stepMs: 500 },
    ...{ inUse: 2, waiting: 6, memoryBytes: 300, queuedMs: 700 },
  })
  assert.equal(figuresOfNode([before, after], 'a').tokensPerSecond, 10)
  assert.equal(figuresOfNode([before, after], 'b').firstTokenMs, null)
})

test('a restarted node counts from zero; a new node and one without counters are ignored', () => {
  const again = [at(node('a', 0, { completionTokens: 900 })), at(node('a', 4000, { startedAt: 9, completionTokens: 40 }))]
  assert.equal(figuresOf(again).tokensPerSecond, 10)
  assert.equal(figuresOf([at(), at(node('a', 4000, { completionTokens: 900 }))]).tokensPerSecond, 0)
  assert.equal(figuresOf([at(node('a', 0, null)), at(node('a', 4000, null))]).tokensPerSecond, 0)
  assert.equal(figuresOf([]).tokensPerSecond, 0)
})

test('an amount is divided by the full time between its reports, even if the last report repeats', () => {
  const readings = [at(node('a', 0)), at(node('a', 2000, { completionTokens: 20 })), at(node('a', 4000, { completionTokens: 40 }))]
  assert.equal(figuresOf(readings).tokensPerSecond, 10)
  assert.equal(figuresOf([...readings, at(node('a', 4000, { completionTokens: 40 }))]).tokensPerSecond, 10)
})
