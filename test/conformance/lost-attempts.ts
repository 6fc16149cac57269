import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toErrorRecord } from '../../src/core/error.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext, leaseMs, output, tryClaim } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const maxQueueMs = 24 * 60 * 60 * 1000
const failure = { lost: false, error: toErrorRecord(new Error('unknown')), delayMs: 1000 }

/** Leases, retries and poison. */
export function testLostAttempts(name: string, open: StoreFactory): void {
  test(`${name} queue: a lease that runs out gives the inference to another worker, and the first one cannot complete it`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    const zombie = await claimNext(store.queue)
    await clock.advance(leaseMs - 1)
    assert.equal((await store.queue.sweep({ maxQueueMs }, options)).requeued, 0)
    await clock.advance(1)
    assert.equal((await store.queue.sweep({ maxQueueMs }, options)).requeued, 1)
    assert.equal(await store.queue.complete(zombie, { outcome: 'succeeded', output }, options), false)
    const second = await claimNext(store.queue)
    assert.deepEqual([second.attempt, second.lostAttempts], [2, 1])
    assert.equal(await store.queue.complete(zombie, { outcome: 'succeeded', output }, options), false)
    assert.equal(await store.queue.renew(zombie, { leaseMs, progress: null }, options), 'lost')
    const other = { ...output, sha256: 'cd'.repeat(32) }
    assert.equal(await store.queue.complete(second, { outcome: 'succeeded', output: other }, options), true)
    assert.equal(await store.queue.complete(zombie, { outcome: 'succeeded', output }, options), false)
    assert.deepEqual((await store.log.find(zombie.inference.id, 'a', options))?.output, other)
  })

  test(`${name} queue: a renewed lease does not run out`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    await clock.advance(leaseMs - 1)
    await store.queue.renew(claim, { leaseMs, progress: null }, options)
    await clock.advance(leaseMs - 1)
    assert.equal((await store.queue.sweep({ maxQueueMs }, options)).requeued, 0)
  })

  test(`${name} queue: what lost two workers fails and is not run again`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    for (const expected of [
      { requeued: 1, failed: 0 },
      { requeued: 0, failed: 1 },
    ]) {
      await claimNext(store.queue)
      await clock.advance(leaseMs)
      const { requeued, failed } = await store.queue.sweep({ maxQueueMs }, options)
      assert.deepEqual({ requeued, failed }, expected)
    }
    const found = await store.log.find(inference.id, 'a', options)
    assert.deepEqual([found?.outcome, found?.error?.code], ['failed', 'inference_failed'])
    assert.equal(await tryClaim(store.queue), null)
  })

  test(`${name} queue: a reported failure is tried three times, each after its delay`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    for (const expected of ['requeued', 'requeued', 'failed']) {
      const claim = await claimNext(store.queue)
      assert.equal(await store.queue.retry(claim, failure, options), expected)
      assert.equal(await store.queue.retry(claim, failure, options), 'not-held')
      assert.equal(await tryClaim(store.queue), null)
      await clock.advance(1000)
    }
    const found = await store.log.find(inference.id, 'a', options)
    assert.deepEqual([found?.outcome, found?.error?.code, found?.attempt], ['failed', 'internal_error', 3])
  })

  test(`${name} queue: drained attempts are not counted`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    for (let round = 0; round < 5; round++) await store.queue.release(await claimNext(store.queue), options)
    assert.equal(await store.queue.retry(await claimNext(store.queue), failure, options), 'requeued')
  })

  test(`${name} queue: a cancelled inference whose worker dies is completed as cancelled`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    await claimNext(store.queue)
    await store.queue.cancel({ id: inference.id, accountId: 'a' }, options)
    await clock.advance(leaseMs)
    await store.queue.sweep({ maxQueueMs }, options)
    assert.equal((await store.log.find(inference.id, 'a', options))?.outcome, 'cancelled')
  })
}
