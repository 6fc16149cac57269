import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputRetentionMs, recordRetentionMs } from '../../src/core/inference.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext, output, release, succeed, sweep } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const maxQueueMs = 60_000

/** Effects of time: timeouts of pending work, and expiry of outputs and records. */
export function testQueueTime(name: string, open: StoreFactory): void {
  test(`${name} queue: work that waits too long fails with inference_timeout`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    await clock.advance(maxQueueMs - 1)
    assert.equal((await sweep(store.queue, { maxQueueMs })).failed, 0)
    await clock.advance(1)
    assert.equal((await sweep(store.queue, { maxQueueMs })).failed, 1)
    assert.equal((await store.log.find(inference.id, 'a', options))?.error?.code, 'inference_timeout')
  })

  test(`${name} queue: pending work is claimed at once after the clock was set back`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    clock.jump(clock.now() - 60 * 60_000)
    assert.equal((await claimNext(store.queue)).id, inference.id)
  })

  test(`${name} queue: repeatedly released work keeps its age and ends in time`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    for (let round = 0; round < 6; round++) {
      await release(store.queue, await claimNext(store.queue))
      await clock.advance(maxQueueMs / 6)
    }
    assert.equal((await sweep(store.queue, { maxQueueMs })).failed, 1)
    assert.equal((await store.log.find(inference.id, 'a', options))?.error?.code, 'inference_timeout')
  })

  test(`${name} queue: an output expires 24 hours after completion, its record 7 days later`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    await clock.advance(5000)
    await succeed(store.queue, await claimNext(store.queue))
    assert.equal((await store.log.find(inference.id, 'a', options))?.expiresAt, clock.now() + outputRetentionMs)
    const mine = { key: output.key, inferenceId: inference.id }
    const others = [
      { key: 'efgh.1', inferenceId: inference.id },
      { key: output.key, inferenceId: 'unknown' },
    ]
    await clock.advance(outputRetentionMs - 1)
    assert.deepEqual((await store.queue.expire(options)).outputs, [])
    assert.deepEqual(await store.log.findOrphans([mine, ...others], options), ['efgh.1', output.key])
    await clock.advance(1)
    assert.deepEqual((await store.queue.expire(options)).outputs, [output.key])
    assert.deepEqual((await store.queue.expire(options)).outputs, [])
    assert.deepEqual(await store.log.findOrphans([mine], options), [output.key])
    await clock.advance(recordRetentionMs - 1)
    await store.queue.expire(options)
    assert.notEqual(await store.log.find(inference.id, 'a', options), null)
    await clock.advance(1)
    await store.queue.expire(options)
    assert.equal(await store.log.find(inference.id, 'a', options), null)
  })

  test(`${name} queue: pending and running work can still store an output`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const pending = await store.queue.enqueue(makeSubmission(), options)
    const running = await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
    await claimNext(store.queue)
    const outputs = [pending, running].map(({ inference }) => ({ key: `${inference.id}.1`, inferenceId: inference.id }))
    assert.deepEqual(await store.log.findOrphans(outputs, options), [])
  })
}
