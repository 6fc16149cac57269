import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelled } from '../../src/core/deferred/attempts.ts'
import { outputRetentionMs } from '../../src/core/inference.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { makeTextRequest } from '../support/text-request.ts'
import { claimNext, leaseMs, output, release, renew, succeed, tryClaim } from './claiming.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

/** Submitting, claiming, completing and cancelling. */
export function testInferenceQueue(name: string, open: StoreFactory): void {
  const openRoomy = () => open({ clock: createTestClock(), limits: roomy })

  test(`${name} queue: a worker that names a kind claims only work of that kind`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const draw = await store.queue.enqueue(makeSubmission(), options)
    const { model } = draw.inference
    const request = { ...makeTextRequest('hello'), model }
    const chat = await store.queue.enqueue(makeSubmission({ work: { kind: 'chat', request } }), options)
    const claim = async (kind?: 'text' | 'image') =>
      (await store.queue.claim({ workerId: 'w', rooms: [{ model, room: 5, kind }], limit: 9, leaseMs }, options)).map(({ id }) => id)
    assert.deepEqual(await claim('text'), [chat.inference.id])
    assert.deepEqual(await claim('text'), [])
    assert.deepEqual(await claim('image'), [draw.inference.id])
    const third = await store.queue.enqueue(makeSubmission({ work: { kind: 'chat', request } }), options)
    assert.deepEqual([await claim('image'), await claim()], [[], [third.inference.id]])
  })

  test(`${name} queue: an inference goes from pending through running to completed`, async () => {
    await using store = await openRoomy()
    const { inference, repeated } = await store.queue.enqueue(makeSubmission(), options)
    assert.equal(repeated, false)
    assert.equal(inference.status, 'pending')
    const claim = await claimNext(store.queue)
    assert.deepEqual([claim.inference.id, claim.inference.status, claim.attempt], [inference.id, 'running', 1])
    assert.equal(await tryClaim(store.queue), null)
    assert.equal(await succeed(store.queue, claim), 'completed')
    const found = await store.log.find(inference.id, 'a', options)
    assert.deepEqual([found?.status, found?.outcome, found?.output, found?.error], ['completed', 'succeeded', output, null])
  })

  test(`${name} queue: work is returned unchanged, with its images and maps`, async () => {
    await using store = await openRoomy()
    const image = makeImageRequest('ünïcode 🐯', { initial: { image: Uint8Array.of(0, 255, 128), strength: 0.5 }, seeds: [1, 4294967295] })
    const text = makeTextRequest('hello', { sampling: { ...makeTextRequest('').sampling, logitBias: new Map([[50256, -100]]), seed: 7 } })
    await store.queue.enqueue(makeSubmission({ work: { kind: 'image', request: image } }), options)
    await store.queue.enqueue(makeSubmission({ work: { kind: 'chat', request: text } }), options)
    const claims = [await claimNext(store.queue), await claimNext(store.queue)]
    const works = await Promise.all(claims.map(async (claim) => (await claim.load(options)).work))
    const [drawn, said] = [works.find(({ kind }) => kind === 'image'), works.find(({ kind }) => kind === 'chat')]
    assert.ok(drawn?.kind === 'image' && drawn.request.initial !== null)
    assert.deepEqual([...drawn.request.initial.image], [0, 255, 128])
    assert.deepEqual({ ...drawn.request, initial: null }, { ...image, initial: null })
    assert.deepEqual(said, { kind: 'chat', request: text })
  })

  test(`${name} queue: a claim returns the submitted work and its account`, async () => {
    await using store = await openRoomy()
    const request = { model: 'fake-image', image: Uint8Array.of(1, 2), width: 64, height: 32, encoding: 'png' } as const
    const submission = makeSubmission({ tokenId: 't', traceparent: '00-1-2-01', work: { kind: 'enlargement', request } })
    const { inference } = await store.queue.enqueue(submission, options)
    assert.equal(inference.kind, 'image')
    const { accountId, tokenId, traceparent, work } = submission
    const claim = await claimNext(store.queue)
    assert.deepEqual(await claim.load(options), { id: inference.id, accountId, tokenId, traceparent, work })
    assert.equal((await store.log.find(inference.id, 'a', options))?.kind, 'image')
  })

  test(`${name} queue: an enlargement that version 0.1 queued as a marked drawing is claimed as an enlargement`, async () => {
    await using store = await openRoomy()
    const initial = { image: Uint8Array.of(1, 2), strength: 1 }
    const marked = { ...makeImageRequest('', { width: 64, height: 32, seeds: [0], initial }), enlarges: true }
    await store.queue.enqueue(makeSubmission({ work: { kind: 'image', request: marked } }), options)
    const { work } = await (await claimNext(store.queue)).load(options)
    const { model, width, height, encoding } = marked
    assert.deepEqual(work, { kind: 'enlargement', request: { model, image: initial.image, width, height, encoding } })
  })

  test(`${name} queue: work of several megabytes is returned unchanged`, async () => {
    await using store = await openRoomy()
    const image = Uint8Array.from({ length: 3_000_000 }, (_, index) => index % 251)
    const request = makeImageRequest('a large tiger', { initial: { image, strength: 0.5 } })
    await store.queue.enqueue(makeSubmission({ work: { kind: 'image', request } }), options)
    const { work } = await (await claimNext(store.queue)).load(options)
    assert.ok(work.kind === 'image' && work.request.initial !== null)
    assert.ok(Buffer.from(work.request.initial.image).equals(image))
  })

  test(`${name} queue: only work of the requested models is claimed`, async () => {
    await using store = await openRoomy()
    await store.queue.enqueue(makeSubmission(), options)
    assert.equal(await tryClaim(store.queue, ['fake-chat']), null)
    assert.equal(await tryClaim(store.queue, []), null)
    assert.ok(await tryClaim(store.queue, ['fake-image']))
  })

  test(`${name} queue: work of a model left to other nodes is claimed only after waiting long enough`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const work = { kind: 'chat', request: makeTextRequest('hello') } as const
    const first = await store.queue.enqueue(makeSubmission({ work }), options)
    await clock.advance(1500)
    await store.queue.enqueue(makeSubmission({ work }), options)
    await store.queue.enqueue(makeSubmission(), options)
    const rooms = [
      { model: 'fake-chat', room: 5, waitedMs: 2000 },
      { model: 'fake-image', room: 5 },
    ]
    const claim = async () =>
      (await store.queue.claim({ workerId: 'w', rooms, limit: 10, leaseMs }, options)).map(({ inference }) => inference)
    assert.deepEqual(
      (await claim()).map(({ kind }) => kind),
      ['image'],
    )
    await clock.advance(500)
    assert.deepEqual(
      (await claim()).map(({ id }) => id),
      [first.inference.id],
    )
    await clock.advance(1500)
    assert.equal((await claim()).length, 1)
  })

  test(`${name} queue: rejects work over its limit`, async () => {
    await using store = await open({ clock: createTestClock(), limits: { maxPending: 2 } })
    await store.queue.enqueue(makeSubmission(), options)
    await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
    await assert.rejects(store.queue.enqueue(makeSubmission(), options), { code: 'server_is_overloaded', retryAfterSeconds: 10 })
    await claimNext(store.queue)
    await store.queue.enqueue(makeSubmission(), options)
  })

  test(`${name} queue: an account at its share is rejected, and another still finds room`, async () => {
    await using store = await open({ clock: createTestClock(), limits: { maxPending: 4, maxPendingPerAccount: 2 } })
    const results = await Promise.allSettled([1, 2, 3].map(() => store.queue.enqueue(makeSubmission(), options)))
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected'])
    await assert.rejects(store.queue.enqueue(makeSubmission(), options), { code: 'concurrency_limit_exceeded', retryAfterSeconds: 10 })
    await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)
    await claimNext(store.queue)
    await store.queue.enqueue(makeSubmission(), options)
  })

  test(`${name} queue: an account's storage limit counts pending work, expected outputs and stored outputs`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: { maxPending: 100, maxStoredBytesPerAccount: 1_000_000 } })
    const submit = (outputBytes: number, accountId = 'a') => store.queue.enqueue(makeSubmission({ accountId, outputBytes }), options)
    const full = { code: 'quota_exceeded', retryAfterSeconds: 120 }
    const results = await Promise.allSettled([1, 2, 3].map(() => submit(400_000)))
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected'])
    await submit(900_000, 'b')
    await store.queue.complete(
      await claimNext(store.queue),
      { completion: { outcome: 'succeeded', output: { ...output, bytes: 700_000 } }, usage: null },
      options,
    )
    await assert.rejects(submit(0), full)
    const other = await claimNext(store.queue)
    assert.equal(other.inference.accountId, 'b')
    await store.queue.cancel(
      {
        id: (await store.log.list({ accountId: 'a', status: 'pending', limit: 1, after: null }, options)).inferences[0]?.id ?? '',
        accountId: 'a',
      },
      options,
    )
    await submit(200_000)
    await assert.rejects(submit(200_000), full)
    await clock.advance(outputRetentionMs)
    await store.queue.expire(options)
    await submit(700_000)
    await assert.rejects(submit(200_000), full)
  })

  test(`${name} queue: a disabled account's work ends, and new work is rejected`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const account = { name: 'Eve', email: null, role: 'member', createdAt: 1, disabledAt: null, limits: noLimits } as const
    for (const id of ['a', 'b']) await store.accounts.create({ ...account, id }, options)
    await store.queue.enqueue(makeSubmission(), options)
    const running = await claimNext(store.queue)
    const pending = (await store.queue.enqueue(makeSubmission(), options)).inference
    const other = (await store.queue.enqueue(makeSubmission({ accountId: 'b' }), options)).inference
    await store.accounts.change('a', { by: null, disabledAt: clock.now() }, options)
    const ended = await store.log.find(pending.id, 'a', options)
    assert.deepEqual([ended?.status, ended?.outcome, ended?.error], ['completed', 'cancelled', cancelled])
    assert.equal(ended?.expiresAt, clock.now() + outputRetentionMs)
    assert.equal(await renew(store.queue, running), 'cancel-requested')
    await assert.rejects(store.queue.enqueue(makeSubmission(), options), { code: 'invalid_token' })
    assert.equal((await claimNext(store.queue)).inference.id, other.id)
    assert.equal(await tryClaim(store.queue), null)
    await store.accounts.change('a', { by: null, disabledAt: null }, options)
    await store.queue.enqueue(makeSubmission(), options)
  })

  test(`${name} queue: the same key and body return the same inference, for 24 hours and per account`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    const submission = makeSubmission({ idempotency: { key: 'k', fingerprint: 'f' } })
    assert.equal(await store.queue.findEarlier(submission, options), null)
    const results = await Promise.all([1, 2, 3].map(() => store.queue.enqueue(submission, options)))
    assert.deepEqual(results.map(({ repeated }) => repeated).sort(), [false, true, true])
    assert.equal(new Set(results.map(({ inference }) => inference.id)).size, 1)
    assert.equal((await store.queue.findEarlier(submission, options))?.id, results[0]?.inference.id)
    await assert.rejects(store.queue.findEarlier({ ...submission, idempotency: { key: 'k', fingerprint: 'other' } }, options), {
      code: 'idempotency_conflict',
    })
    await assert.rejects(store.queue.enqueue({ ...submission, idempotency: { key: 'k', fingerprint: 'other' } }, options), {
      code: 'idempotency_conflict',
    })
    await assert.rejects(store.queue.enqueue({ ...submission, webhookUrl: 'https://hook.example/' }, options), {
      code: 'idempotency_conflict',
    })
    assert.equal((await store.queue.enqueue({ ...submission, accountId: 'b' }, options)).repeated, false)
    await clock.advance(24 * 60 * 60 * 1000)
    assert.equal(await store.queue.findEarlier(submission, options), null)
    const later = await store.queue.enqueue({ ...submission, idempotency: { key: 'k', fingerprint: 'other' } }, options)
    assert.equal(later.repeated, false)
  })

  test(`${name} queue: a pending inference is cancelled at once, a completed one stays completed`, async () => {
    await using store = await openRoomy()
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    assert.equal(await store.queue.cancel({ id: inference.id, accountId: 'b' }, options), null)
    const cancelled = await store.queue.cancel({ id: inference.id, accountId: 'a' }, options)
    assert.deepEqual([cancelled?.status, cancelled?.outcome, cancelled?.error?.code], ['completed', 'cancelled', 'request_cancelled'])
    assert.equal(await tryClaim(store.queue), null)
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    await succeed(store.queue, claim)
    const kept = await store.queue.cancel({ id: claim.inference.id, accountId: 'a' }, options)
    assert.equal(kept?.outcome, 'succeeded')
  })

  test(`${name} queue: the worker of a running inference is notified of a cancellation`, async () => {
    await using store = await openRoomy()
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    assert.equal(await renew(store.queue, claim, { step: 1, total: 4 }), 'held')
    const requested = await store.queue.cancel({ id: claim.inference.id, accountId: 'a' }, options)
    assert.deepEqual([requested?.status, requested?.progress], ['running', { step: 1, total: 4 }])
    assert.equal(await renew(store.queue, claim), 'cancel-requested')
  })

  test(`${name} queue: a released inference is pending again, and its old claim is lost`, async () => {
    const clock = createTestClock()
    await using store = await open({ clock, limits: roomy })
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    assert.equal(await release(store.queue, claim, 5000), 'requeued')
    assert.equal(await release(store.queue, claim), 'lost')
    assert.equal(await tryClaim(store.queue), null)
    await clock.advance(5000)
    const again = await claimNext(store.queue)
    assert.deepEqual([again.attempt, again.deadlyAttempts], [2, 0])
    assert.equal(await succeed(store.queue, claim), 'lost')
    assert.equal(await renew(store.queue, claim), 'lost')
    assert.equal(await succeed(store.queue, again), 'completed')
    assert.equal(await succeed(store.queue, claim), 'lost')
  })

  test(`${name} queue: waitForWork resolves after a submission, also after an earlier one`, async () => {
    await using store = await openRoomy()
    const waiting = store.queue.waitForWork(60_000, options)
    await store.queue.enqueue(makeSubmission(), options)
    await waiting
    await store.queue.enqueue(makeSubmission(), options)
    await store.queue.waitForWork(60_000, options)
  })

  test(`${name} queue: an aborted call submits nothing`, async () => {
    await using store = await openRoomy()
    const left = { signal: AbortSignal.abort(new Error('left')) }
    await assert.rejects(store.queue.enqueue(makeSubmission(), left), /left/)
    assert.equal(await tryClaim(store.queue), null)
  })
}
