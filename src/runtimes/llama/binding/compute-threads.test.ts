import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComputeThreads } from './compute-threads.ts'
import { CountingContext } from './counting-context.ts'

const threadsOf = async (bytes: number, batches: readonly number[], allowed = 8): Promise<readonly number[]> => {
  const context = new CountingContext()
  const threads = new ComputeThreads({ count: allowed }, bytes)
  for (const tokens of batches) await threads.decode(context, tokens)
  return context.threads
}

test('a small model decodes a few texts with few threads, and reads long prompts with all threads', async () => {
  assert.deepEqual(await threadsOf(3e6, [1, 8, 16, 32, 512]), [1, 1, 3, 6, 8])
  assert.deepEqual(await threadsOf(7.5e6, [1, 8, 16]), [2, 4, 8])
})

test('a model with large weights decodes with all threads', async () => {
  assert.deepEqual(await threadsOf(75e6, [1, 32]), [8, 8])
  assert.deepEqual(await threadsOf(600e6, [1], 2), [2])
})

test('a model without a known size has at least one thread', async () => {
  assert.deepEqual(await threadsOf(0, [1, 512]), [1, 1])
})
