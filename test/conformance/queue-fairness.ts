import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { makeTextRequest } from '../support/text-request.ts'
import { claimNext, leaseMs } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

/** Turns between accounts, priorities, and the position reported to callers. */
export function testQueueFairness(name: string, open: StoreFactory): void {
  test(`${name} queue: accounts take turns, however much one of them submits`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const accountId of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) await store.queue.enqueue(makeSubmission({ accountId }), options)
    const order: string[] = []
    for (let round = 0; round < 7; round++) order.push((await claimNext(store.queue)).inference.accountId)
    assert.deepEqual(order, ['a', 'b', 'c', 'a', 'b', 'a', 'a'])
  })

  test(`${name} queue: a claim of several follows the same turns, up to the room of each model`, async () => {
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

  test(`${name} queue: inferences of one account run in the order of submission`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const submitted: string[] = []
    for (let round = 0; round < 5; round++) submitted.push((await store.queue.enqueue(makeSubmission(), options)).inference.id)
    const claimed: string[] = []
    for (let round = 0; round < 5; round++) claimed.push((await claimNext(store.queue)).inference.id)
    assert.deepEqual(claimed, submitted)
  })

  test(`${name} queue: low priority waits for all normal work`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.queue.enqueue(makeSubmission({ priority: 'low' }), options)
    await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
    await store.queue.enqueue(makeSubmission(), options)
    const order: string[] = []
    for (let round = 0; round < 3; round++) order.push((await claimNext(store.queue)).inference.priority)
    assert.deepEqual(order, ['normal', 'normal', 'low'])
  })

  test(`${name} log: the queue position is the number of claims ahead`, async () => {
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

  test(`${name} log: the position in a long queue is exact near the front and approximate behind`, async () => {
    await using store = await open({ clock: createTestClock(), limits: { maxPending: 10_000 } })
    const made = await Promise.all(Array.from({ length: 1500 }, () => store.queue.enqueue(makeSubmission(), options)))
    const ids = made.map(({ inference }) => inference.id)
    const placeOf = async (index: number) => (await store.log.find(ids[index] ?? '', 'a', options))?.queuePosition ?? 0
    assert.deepEqual([await placeOf(0), await placeOf(500), await placeOf(999)], [1, 501, 1000])
    assert.ok(Math.abs((await placeOf(1400)) - 1401) < 100)
    for (let round = 0; round < 10; round++) await claimNext(store.queue)
    assert.deepEqual([await placeOf(500), await placeOf(1005)], [491, 996])
  })

  test(`${name} queue: an account of weight 3 gets three turns for one of the others`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const account = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
    await store.accounts.create({ ...account, id: 'heavy', limits: { ...noLimits, weight: 3 } }, options)
    for (let round = 0; round < 8; round++)
      for (const accountId of ['light', 'heavy']) await store.queue.enqueue(makeSubmission({ accountId }), options)
    assert.equal((await claimNext(store.queue)).inference.accountId, 'light')
    const pending = async (accountId: string) =>
      (await store.log.list({ accountId, status: 'pending', limit: 10, after: null }, options)).inferences.toReversed()
    const placesOf = async (accountId: string) =>
      Promise.all(
        (await pending(accountId)).slice(0, 4).map(async ({ id }) => (await store.log.find(id, accountId, options))?.queuePosition),
      )
    assert.deepEqual(
      [await placesOf('heavy'), await placesOf('light')],
      [
        [1, 2, 3, 5],
        [4, 8, 11, 12],
      ],
    )
    assert.equal((await claimNext(store.queue)).inference.accountId, 'heavy')
    assert.deepEqual(
      [await placesOf('heavy'), await placesOf('light')],
      [
        [1, 2, 4, 5],
        [3, 7, 10, 11],
      ],
    )
    const order: string[] = ['light', 'heavy']
    for (let round = 2; round < 12; round++) order.push((await claimNext(store.queue)).inference.accountId)
    const heavy = order.filter((accountId) => accountId === 'heavy').length
    assert.ok(heavy === 8 || heavy === 9, order.join(' '))
    for (let first = 0; first + 4 <= 8; first++) assert.ok(order.slice(first, first + 4).includes('light'), order.join(' '))
    assert.deepEqual([...(await store.accounts.weights(options))], [['heavy', 3]])
  })

  test(`${name} queue: low-priority work takes turns with normal work after waiting ten minutes`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission({ accountId: 'patient', priority: 'low' }), options)
    await clock.advance(9 * 60_000)
    for (let round = 0; round < 3; round++) await store.queue.enqueue(makeSubmission({ accountId: 'busy' }), options)
    const claim = async () => {
      await store.queue.sweep({ maxQueueMs: 60 * 60_000, spared: [] }, options)
      return (await claimNext(store.queue)).inference.accountId
    }
    assert.equal(await claim(), 'busy')
    await clock.advance(60_000)
    const order = [await claim(), await claim()]
    assert.ok(order.includes('patient'), order.join(' '))
    await claim()
    assert.deepEqual(await store.queue.sweep({ maxQueueMs: 60 * 60_000, spared: [] }, options), { requeued: 0, failed: 0 })
  })

  test(`${name} queue: an account's own limits on pending and stored work replace the general ones`, async () => {
    await using store = await open({
      clock: createTestClock(),
      limits: { maxPending: 100, maxPendingPerAccount: 1, maxStoredBytesPerAccount: 10_000_000 },
    })
    const account = { name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null } as const
    await store.accounts.create({ ...account, id: 'many', limits: { ...noLimits, pendingRequests: 3 } }, options)
    await store.accounts.create({ ...account, id: 'none', limits: { ...noLimits, pendingRequests: 0 } }, options)
    await store.accounts.create({ ...account, id: 'small', limits: { ...noLimits, storedBytes: 50_000 } }, options)
    const submit = (accountId: string, outputBytes = 0) => store.queue.enqueue(makeSubmission({ accountId, outputBytes }), options)
    for (let round = 0; round < 3; round++) await submit('many')
    await assert.rejects(submit('many'), /This account has reached its limit of 3 waiting requests \(its own limit\)/)
    await assert.rejects(submit('none'), { code: 'concurrency_limit_exceeded' })
    await submit('everybody', 60_000)
    await assert.rejects(submit('everybody'), /\(its share of the queue, account-share\)/)
    await assert.rejects(submit('small', 60_000), { code: 'quota_exceeded' })
    await submit('small', 1000)
  })
}
