import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { Clock } from '../core/ports/clock.ts'
import { createFakeCatalog } from '../runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../runtimes/fake/fake-model-loader.ts'
import { createModelPool } from './model-pool.ts'

const { signal } = new AbortController()

test('a slot that is given back after the end leaves no alarm that would keep the process alive', async () => {
  const clock = createTestClock()
  const alarms: AbortSignal[] = []
  const watched: Clock = {
    ...clock,
    wait: (ms, options) => {
      alarms.push(options.signal)
      return clock.wait(ms, options)
    },
  }
  const limits = { memoryBytes: 1e12, idleUnloadMs: 900_000, textSlots: 2, textQueue: 8, imageQueue: 2, waitLimitMs: 60_000 }
  const loader = new FakeModelLoader({ clock, slots: 2 })
  const pool = createModelPool({ catalog: createFakeCatalog(), loader, clock: watched, limits, onEvent: () => {} })
  const lease = await pool.acquireText('fake-chat', { signal, account: 'a' })
  assert.ok(alarms.some(({ aborted }) => !aborted))
  await pool[Symbol.asyncDispose]()
  await lease[Symbol.asyncDispose]()
  assert.ok(alarms.every(({ aborted }) => aborted))
})
