import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { makeTextRequest } from '../support/text-request.ts'
import { claimNext, leaseMs } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

/** Turns between accounts, priorities, and the position told to callers. */
export function testQueueFairness(name: string, open: StoreFactory): void {
  test(`${name} queue: accounts take turns however much one of them submits`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const accountId of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) await store.queue.enqueue(makeSubmission({ accountId }), options)
    const order: string[] = []
    for (let round = 0; round < 7; round++) order.push((await claimNext(store.queue)).inference.accountId)
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a'])
  })

  test(`${name} queue: several are claimed at once in the same turns, as many as models have room`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const accountId of ['a', 'a', 'a', 'b', 'c']) await store.queue.enqueue(makeSubmission({ accountId }), options)
    const chat = { kind: 'chat', request: makeTextRequest('hello') } as const
    for (const accountId of ['a', 'b']) await store.queue.enqueue(makeSubmission({ accountId, work: chat }), options)
    const rooms = [
      { model: 'fake-image', room: 4 },
      { model: 'fake-chat', room: 1 },
    ]
    const claims = await store.queue.claim({ workerId: 'w', rooms, limit: 100, leaseMs }, options)
    const pictures = claims.filter(({ inference }) => inference.kind === 'image')
    assert.deepEqual(
      pictures.map(({ inference }) => inference.accountId),
      ['a', 'b', 'c', 'a'],
    )
    assert.equal(claims.length, 5)
    assert.equal((await store.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs }, options)).length, 1)
    assert.equal((await store.queue.claim({ workerId: 'w', rooms, limit: 0, leaseMs }, options)).length, 0)
  })

  test(`${name} queue: an account's own inferences run in the order of submission`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const submitted: string[] = []
    for (let round = 0; round < 5; round++) submitted.push((await store.queue.enqueue(makeSubmission(), options)).inference.id)
    const claimed: string[] = []
    for (let round = 0; round < 5; round++) claimed.push((await claimNext(store.queue)).inference.id)
    assert.deepEqual(claimed, submitted)
  })

  test(`${name} queue: low priority waits for every normal one`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.queue.enqueue(makeSubmission({ priority: 'low' }), options)
    await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
    await store.queue.enqueue(makeSubmission(), options)
    const order: string[] = []
    for (let round = 0; round < 3; round++) order.push((await claimNext(store.queue)).inference.priority)
    assert.deepEqual(order, ['normal', 'normal', 'low'])
  })

  test(`${name} log: the queue position says how many claims away an inference is`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const ids = new Map<string, string>()
    for (const accountId of ['a', 'a', 'a', 'b', 'b', 'c']) {
      const { inference } = await store.queue.enqueue(makeSubmission({ accountId }), options)
      ids.set(inference.id, accountId)
    }
    const low = await store.queue.enqueue(makeSubmission({ accountId: 'd', priority: 'low' }), options)
    assert.equal((await store.log.find(low.inference.id, 'd', options))?.queuePosition, 7)
    await claimNext(store.queue)
    for (let round = 0; round < 5; round++) {
      const claimed = await claimNext(store.queue)
      assert.equal((await store.log.find(claimed.inference.id, claimed.inference.accountId, options))?.queuePosition, null)
      ids.delete(claimed.inference.id)
    }
    assert.equal((await store.log.find(low.inference.id, 'd', options))?.queuePosition, 1)
  })

  test(`${name} log: the place in a very long queue is told exactly near the front and about right behind`, async () => {
    await using store = await open({ clock: createTestClock(), limits: { maxPending: 10_000 } })
    const made = await Promise.all(Array.from({ length: 1500 }, () => store.queue.enqueue(makeSubmission(), options)))
    const ids = made.map(({ inference }) => inference.id)
    const placeOf = async (index: number) => (await store.log.find(ids[index] ?? '', 'a', options))?.queuePosition ?? 0
    assert.deepEqual([await placeOf(0), await placeOf(500), await placeOf(999)], [1, 501, 1000])
    assert.ok(Math.abs((await placeOf(1400)) - 1401) < 100)
    for (let round = 0; round < 10; round++) await claimNext(store.queue)
    assert.deepEqual([await placeOf(500), await placeOf(1005)], [491, 996])
  })
}
