import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext, succeed } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const webhookUrl = 'https://example.com/hook'

/** Deliveries that come with completions, and signing secrets. */
export function testWebhookLog(name: string, open: StoreFactory): void {
  test(`${name} webhooks: a completion in any way creates exactly one delivery`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission({ webhookUrl }), options)
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    assert.deepEqual(await store.webhooks.due({ limit: 10, perAccount: 10 }, options), [])
    await succeed(store.queue, claim)
    await succeed(store.queue, claim)
    await succeed(store.queue, await claimNext(store.queue))
    const cancelled = await store.queue.enqueue(makeSubmission({ webhookUrl }), options)
    await store.queue.cancel({ id: cancelled.inference.id, accountId: 'a' }, options)
    const due = await store.webhooks.due({ limit: 10, perAccount: 10 }, options)
    assert.deepEqual(due.map(({ inferenceId }) => inferenceId).sort(), [claim.inference.id, cancelled.inference.id].sort())
    assert.deepEqual([due[0]?.url, due[0]?.attempts, due[0]?.state, due[0]?.lastResult], [webhookUrl, 0, 'waiting', null])
  })

  test(`${name} webhooks: a delivery continues the trace of its request`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await store.queue.enqueue(makeSubmission({ webhookUrl, traceparent }), options)
    await succeed(store.queue, await claimNext(store.queue))
    const [delivery] = await store.webhooks.due({ limit: 10, perAccount: 10 }, options)
    assert.equal(delivery?.traceparent, traceparent)
    await store.queue.enqueue(makeSubmission({ webhookUrl }), options)
    await succeed(store.queue, await claimNext(store.queue))
    const due = await store.webhooks.due({ limit: 10, perAccount: 10 }, options)
    assert.deepEqual(due.map((each) => each.traceparent).toSorted(), [traceparent, null].toSorted())
  })

  test(`${name} webhooks: a delivery waits for its next attempt and ends once`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const { inference } = await store.queue.enqueue(makeSubmission({ webhookUrl }), options)
    await store.queue.cancel({ id: inference.id, accountId: 'a' }, options)
    const [delivery] = await store.webhooks.due({ limit: 10, perAccount: 10 }, options)
    assert.ok(delivery)
    await store.webhooks.record(delivery.id, { state: 'waiting', nextAttemptAt: clock.now() + 5000, result: '500' }, options)
    assert.deepEqual(await store.webhooks.due({ limit: 10, perAccount: 10 }, options), [])
    await clock.advance(5000)
    assert.equal((await store.webhooks.due({ limit: 10, perAccount: 10 }, options))[0]?.lastResult, '500')
    await store.webhooks.record(delivery.id, { state: 'delivered', nextAttemptAt: clock.now(), result: '200' }, options)
    await store.webhooks.record(delivery.id, { state: 'given-up', nextAttemptAt: clock.now(), result: 'late' }, options)
    const [listed] = await store.webhooks.list('a', options)
    assert.deepEqual([listed?.state, listed?.attempts, listed?.lastResult], ['delivered', 2, '200'])
    assert.deepEqual(await store.webhooks.list('b', options), [])
  })

  test(`${name} webhooks: many due deliveries of one account do not delay another account`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    for (const accountId of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) {
      const { inference } = await store.queue.enqueue(makeSubmission({ accountId, webhookUrl }), options)
      await store.queue.cancel({ id: inference.id, accountId }, options)
      await clock.advance(1)
    }
    const accounts = async (query: { readonly limit: number; readonly perAccount: number }) =>
      (await store.webhooks.due(query, options)).map(({ accountId }) => accountId)
    assert.deepEqual(await accounts({ limit: 10, perAccount: 2 }), ['a', 'a', 'b', 'c', 'b'])
    assert.deepEqual(await accounts({ limit: 2, perAccount: 1 }), ['a', 'b'])
  })

  test(`${name} webhooks: an account has one secret, and two for a day after a rotation`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const [first, ...others] = await store.webhooks.secrets('a', options)
    assert.match(first ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.deepEqual(others, [])
    assert.deepEqual(await store.webhooks.secrets('a', options), [first])
    const second = await store.webhooks.rotateSecret('a', options)
    assert.deepEqual(await store.webhooks.secrets('a', options), [second, first])
    assert.notDeepEqual(await store.webhooks.secrets('b', options), [second])
    const third = await store.webhooks.rotateSecret('a', options)
    assert.deepEqual(await store.webhooks.secrets('a', options), [third, second])
    await clock.advance(24 * 60 * 60 * 1000)
    assert.deepEqual(await store.webhooks.secrets('a', options), [third])
  })
}
