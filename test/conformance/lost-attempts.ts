import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError, toErrorRecord } from '../../src/core/error.ts'
import { outputRetentionMs } from '../../src/core/inference.ts'
import type { Hold } from '../../src/core/ports/inference-queue.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext, leaseMs, output, release, renew, succeed, sweep, tryClaim } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const failure = { deadly: false, error: toErrorRecord(new Error('unknown')), delayMs: 1000 }

/** Leases, retries and poison. */
export function testLostAttempts(name: string, open: StoreFactory): void {
  test(`${name} queue: an expired lease gives the inference to another worker, and the first one cannot complete it`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    const zombie = await claimNext(store.queue)
    await clock.advance(leaseMs - 1)
    assert.equal((await sweep(store.queue)).requeued, 0)
    await clock.advance(1)
    assert.equal((await sweep(store.queue)).requeued, 1)
    assert.equal(await succeed(store.queue, zombie), 'lost')
    const second = await claimNext(store.queue)
    assert.deepEqual([second.attempt, second.deadlyAttempts], [2, 0])
    assert.equal(await succeed(store.queue, zombie), 'lost')
    assert.equal(await renew(store.queue, zombie), 'lost')
    const other = { ...output, sha256: 'cd'.repeat(32) }
    assert.equal(await succeed(store.queue, second, other), 'completed')
    assert.equal(await succeed(store.queue, zombie), 'lost')
    assert.deepEqual((await store.log.find(zombie.inference.id, 'a', options))?.output, other)
  })

  test(`${name} queue: a renewed lease does not expire`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    await clock.advance(leaseMs - 1)
    await renew(store.queue, claim)
    await clock.advance(leaseMs - 1)
    assert.equal((await sweep(store.queue)).requeued, 0)
  })

  test(`${name} queue: work that ended two engines fails and is not retried`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const deadly = { deadly: true, error: toErrorRecord(new ServiceError('inference_failed', 'gone')), delayMs: 0 }
    assert.equal(await store.queue.retry(await claimNext(store.queue), { failure: deadly, usage: null }, options), 'requeued')
    const suspect = await claimNext(store.queue)
    assert.equal(suspect.deadlyAttempts, 1)
    assert.equal(await store.queue.retry(suspect, { failure: deadly, usage: null }, options), 'failed')
    assert.equal(await tryClaim(store.queue), null)
    assert.equal((await store.log.find(inference.id, 'a', options))?.error?.code, 'inference_failed')
  })

  test(`${name} queue: work that lost three workers fails and is not retried`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    for (const expected of [
      { requeued: 1, failed: 0 },
      { requeued: 1, failed: 0 },
      { requeued: 0, failed: 1 },
    ]) {
      await claimNext(store.queue)
      await clock.advance(leaseMs)
      const { requeued, failed } = await sweep(store.queue)
      assert.deepEqual({ requeued, failed }, expected)
    }
    const found = await store.log.find(inference.id, 'a', options)
    assert.deepEqual([found?.outcome, found?.error?.code], ['failed', 'inference_failed'])
    assert.equal(await tryClaim(store.queue), null)
  })

  test(`${name} queue: a reported failure is attempted three times, each after its delay`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    for (const expected of ['requeued', 'requeued', 'failed']) {
      const claim = await claimNext(store.queue)
      assert.equal(await store.queue.retry(claim, { failure, usage: null }, options), expected)
      // A repetition after an answer that got lost; what has come to its end says so again.
      assert.equal(await store.queue.retry(claim, { failure, usage: null }, options), expected === 'failed' ? 'failed' : 'lost')
      assert.equal(await tryClaim(store.queue), null)
      await clock.advance(1000)
    }
    const found = await store.log.find(inference.id, 'a', options)
    assert.deepEqual([found?.outcome, found?.error?.code, found?.attempt], ['failed', 'internal_error', 3])
  })

  test(`${name} queue: a failure keeps the output of its last attempt until it expires, and a requeued attempt keeps none`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: { ...roomy, maxStoredBytesPerAccount: 1_000_000 } })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const fail = async (written: Partial<typeof output>) => {
      const claim = await claimNext(store.queue)
      const lasting = { ...failure, delayMs: 0, output: { ...output, ...written } }
      return () => store.queue.retry(claim, { failure: lasting, usage: null }, options)
    }
    assert.equal(await (await fail({ key: 'first' }))(), 'requeued')
    assert.equal((await store.log.find(inference.id, 'a', options))?.output, null)
    assert.equal(await (await fail({ key: 'second' }))(), 'requeued')
    const last = await fail({ key: 'third', bytes: 999_900 })
    assert.deepEqual([await last(), await last()], ['failed', 'failed'])
    const found = await store.log.find(inference.id, 'a', options)
    assert.deepEqual([found?.outcome, found?.error, found?.output], ['failed', failure.error, { ...output, key: 'third', bytes: 999_900 }])
    const stored = ['first', 'third'].map((key) => ({ key, inferenceId: inference.id }))
    assert.deepEqual(await store.log.findOrphans(stored, options), ['first'])
    await assert.rejects(store.queue.enqueue(makeSubmission({ outputBytes: 1000 }), options), { code: 'quota_exceeded' })
    await clock.advance(outputRetentionMs)
    assert.deepEqual((await store.queue.expire(options)).outputs, ['third'])
    await store.queue.enqueue(makeSubmission({ outputBytes: 1000 }), options)
  })

  test(`${name} queue: a completion as failed keeps its output, and a repetition is confirmed`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    const complete = (reference: typeof output) =>
      store.queue.complete(claim, { completion: { outcome: 'failed', error: failure.error, output: reference }, usage: null }, options)
    assert.equal(await complete(output), 'completed')
    assert.equal(await complete(output), 'already-mine')
    assert.equal(await complete({ ...output, sha256: 'cd'.repeat(32) }), 'lost')
    assert.deepEqual((await store.log.find(inference.id, 'a', options))?.output, output)
  })

  test(`${name} queue: attempts released by draining are not counted`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    for (let round = 0; round < 5; round++) await release(store.queue, await claimNext(store.queue))
    assert.equal(await store.queue.retry(await claimNext(store.queue), { failure, usage: null }, options), 'requeued')
  })

  test(`${name} queue: a cancelled inference whose worker dies is completed as cancelled`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    await claimNext(store.queue)
    await store.queue.cancel({ id: inference.id, accountId: 'a' }, options)
    await clock.advance(leaseMs)
    await sweep(store.queue)
    assert.equal((await store.log.find(inference.id, 'a', options))?.outcome, 'cancelled')
  })

  test(`${name} queue: a cancellation is kept when the worker releases the inference or its attempt fails`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const giveBack of [
      (claim: Hold) => release(store.queue, claim),
      (claim: Hold) => store.queue.retry(claim, { failure, usage: null }, options),
    ]) {
      const { inference } = await store.queue.enqueue(makeSubmission(), options)
      const claim = await claimNext(store.queue)
      await store.queue.cancel({ id: inference.id, accountId: 'a' }, options)
      assert.equal(await giveBack(claim), 'cancelled')
      assert.equal(await tryClaim(store.queue), null)
      const found = await store.log.find(inference.id, 'a', options)
      assert.deepEqual([found?.outcome, found?.error?.code], ['cancelled', 'request_cancelled'])
    }
  })

  test(`${name} queue: a sweep spares claims that its caller still holds, even with an expired lease`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    await store.queue.enqueue(makeSubmission(), options)
    const [mine, theirs] = [await claimNext(store.queue), await claimNext(store.queue)]
    await clock.advance(leaseMs)
    assert.deepEqual(await sweep(store.queue, { spared: [mine] }), { requeued: 1, failed: 0 })
    assert.equal(await renew(store.queue, theirs), 'lost')
    assert.equal(await renew(store.queue, mine), 'held')
    assert.deepEqual(await sweep(store.queue), { requeued: 0, failed: 0 })
    assert.equal(await succeed(store.queue, mine), 'completed')
  })

  test(`${name} queue: a repeated completion is confirmed, a different one is rejected`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    assert.equal(await succeed(store.queue, claim), 'completed')
    assert.equal(await succeed(store.queue, claim), 'already-mine')
    assert.equal(await succeed(store.queue, claim, { ...output, sha256: 'cd'.repeat(32) }), 'lost')
    assert.equal(await succeed(store.queue, { ...claim, attempt: 2 }), 'lost')
    const failed = { completion: { outcome: 'failed', error: failure.error }, usage: null } as const
    assert.equal(await store.queue.complete(claim, failed, options), 'lost')
  })

  test(`${name} queue: usage is recorded once, with the completion`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const usage = makeUsageEntry({ model: 'fake-image', kind: 'image', images: 2, at: clock.now() })
    for (let round = 0; round < 3; round++) await store.queue.enqueue(makeSubmission(), options)
    const end = { completion: { outcome: 'succeeded', output }, usage } as const
    const claim = await claimNext(store.queue)
    await store.queue.complete(claim, end, options)
    await store.queue.complete(claim, end, options)
    await store.queue.complete({ ...claim, attempt: 2 }, end, options)
    const given = await claimNext(store.queue)
    await store.queue.release(given, { delayMs: 0, usage }, options)
    for (let round = 0; round < 3; round++)
      await store.queue.retry(await claimNext(store.queue), { failure: { ...failure, delayMs: 0 }, usage }, options)
    const [day] = await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-01' }, options)
    assert.deepEqual([day?.requests, day?.failures, day?.images], [2, 1, 4])
  })
}
