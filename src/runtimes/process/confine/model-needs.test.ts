import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFakeText } from '../../fake/fake-catalog.ts'
import { modelNeeds } from './model-needs.ts'

test('on the CPU the thread pool for native calls has one thread, on a GPU one for every compute thread', () => {
  const model = describeFakeText()
  const pool = (gpu: string) => modelNeeds(model, { gpu, threads: 8, memoryBytes: 1 }).environment.UV_THREADPOOL_SIZE
  assert.equal(pool('off'), '1')
  assert.equal(pool('cuda'), '8')
})
