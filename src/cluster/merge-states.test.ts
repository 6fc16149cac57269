import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelState } from '../core/ports/model-pool.ts'
import { mergeStates } from './merge-states.ts'

const state = (each: Partial<ModelState>): ModelState => ({
  ...{ modelId: 'm', state: 'loaded', memoryBytes: 1, slots: 2, inUse: 1, waiting: 0 },
  ...each,
})

test('a model waits since the longest wait on any node, even if the best node has none', () => {
  const nodes = [[state({})], [state({ waiting: 2, waitingSince: 2000 })], [state({ waiting: 1, waitingSince: 1000 })]]
  const [merged] = mergeStates(nodes)
  assert.deepEqual([merged?.waiting, merged?.waitingSince], [3, 1000])
})

test('no wait is reported if nothing waits or no node reports one', () => {
  assert.equal('waitingSince' in (mergeStates([[state({})], [state({ waiting: 1 })]])[0] ?? {}), false)
})
