import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

/** Finding and listing records. */
export function testInferenceLog(name: string, open: StoreFactory): void {
  test(`${name} log: an inference of another account is not found`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    assert.equal(await store.log.find(inference.id, 'b', options), null)
    assert.equal(await store.log.find("' or 1=1 --", 'a', options), null)
    assert.deepEqual(await store.log.list({ accountId: 'b', status: null, limit: 10, after: null }, options), {
      inferences: [],
      next: null,
    })
  })

  test(`${name} log: reports the start of the longest wait, and nothing if nothing is waiting`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    assert.equal(await store.log.oldestPending(options), null)
    const [first, second] = [clock.now(), clock.now() + 5000]
    await store.queue.enqueue(makeSubmission(), options)
    await clock.advance(5000)
    await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
    assert.equal(await store.log.oldestPending(options), first)
    await claimNext(store.queue)
    assert.equal(await store.log.oldestPending(options), second)
    await claimNext(store.queue)
    assert.equal(await store.log.oldestPending(options), null)
  })

  test(`${name} log: pages through an account's inferences, newest first, without gaps or repeats`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const ids: string[] = []
    for (let round = 0; round < 7; round++) {
      await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
      ids.unshift((await store.queue.enqueue(makeSubmission(), options)).inference.id)
    }
    const seen: string[] = []
    let after: string | null = null
    do {
      const page = await store.log.list({ accountId: 'a', status: null, limit: 3, after }, options)
      seen.push(...page.inferences.map(({ id }) => id))
      after = page.next
    } while (after !== null)
    assert.deepEqual(seen, ids)
  })

  test(`${name} log: lists only the requested status`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (let round = 0; round < 3; round++) await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    const { inferences } = await store.log.list({ accountId: 'a', status: 'running', limit: 10, after: null }, options)
    assert.deepEqual(
      inferences.map(({ id }) => id),
      [claim.inference.id],
    )
  })
}
