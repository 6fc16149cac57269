import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Client } from 'pg'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claimNext, leaseMs, release, succeed, tryClaim } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { type FaultyLink, startFaultyLink } from '../support/postgres/faulty-link.ts'
import { insist } from '../support/postgres/insist.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'

const dayMs = 24 * 60 * 60 * 1000
const away = { code: 'server_is_overloaded', retryAfterSeconds: 2 }

interface Linked extends AsyncDisposable {
  readonly link: FaultyLink
  readonly store: PostgresStore
  readonly database: string
}

/** A store that reaches its database over a link. As a tool it has no notifier, whose answers would be swallowed too. */
async function openOverLink({ mode = 'service' }: { readonly mode?: 'service' | 'tool' } = {}): Promise<Linked> {
  await using undo = new AsyncDisposableStack()
  const address = new URL(await createDatabase())
  const link = undo.use(await startFaultyLink(Number(address.port)))
  const database = address.pathname.slice(1)
  address.port = String(link.port)
  const store = undo.use(await openPostgresStore({ url: address.href, clock: createSystemClock(), limits: roomy, mode }))
  const owned = undo.move()
  return { link, store, database, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

suite('PostgreSQL that fails', { skip: withoutPostgres }, () => {
  test('calls continue over new connections after all were cut', async () => {
    await using linked = await openOverLink()
    const { link, store } = linked
    for (let round = 0; round < 5; round++) {
      const { inference } = await store.queue.enqueue(makeSubmission(), options)
      link.cut()
      assert.equal((await store.log.find(inference.id, 'a', options))?.status, 'pending')
      link.cut()
      assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
    }
  })

  test('a submission with a lost answer is stored once, in every case', async () => {
    await using linked = await openOverLink({ mode: 'tool' })
    const { link, store, database } = linked
    await store.queue.enqueue(makeSubmission({ accountId: 'warm' }), options)
    const { query } = await sharedPostgres()
    for (const many of [1, 2, 3]) {
      link.swallowAnswers(many)
      const submission = makeSubmission({ accountId: `account-${many}`, idempotency: { key: 'k', fingerprint: 'f' } })
      const { inference, repeated } = await store.queue.enqueue(submission, options)
      assert.equal(repeated, false)
      for (const table of ['inferences', 'queue'])
        assert.deepEqual(await query(`select id from ${table} where account_id = 'account-${many}'`, database), [{ id: inference.id }])
    }
  })

  test('a completion with a lost answer counts, and its usage is recorded once', async () => {
    // Without a notifier, whose answer could be the lost one.
    await using linked = await openOverLink({ mode: 'tool' })
    const { link, store } = linked
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    const booked = makeUsageEntry({ kind: 'image', images: 1, at: store.clock.now() })
    const output = { key: 'k', contentType: 'application/json', bytes: 2, sha256: 'ab'.repeat(32) }
    link.swallowAnswers(1)
    const answer = await store.queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: booked }, options)
    assert.equal(answer, 'already-mine')
    const day = new Date(booked.at).toISOString().slice(0, 10)
    assert.equal((await store.usage.summarize({ accountId: 'a', from: day, to: day }, options))[0]?.images, 1)
  })

  test('usage over a lost connection is recorded at once and once', async () => {
    await using linked = await openOverLink({ mode: 'tool' })
    const { link, store } = linked
    const at = store.clock.now()
    const entry = makeUsageEntry({ promptTokens: 3, completionTokens: 2, at })
    await store.usage.append(entry, { ...options, id: 'warm' })
    for (const many of [1, 2, 3]) {
      link.swallowAnswers(many)
      await store.usage.append(entry, { ...options, id: `lost-${many}` })
      link.cut()
      await store.usage.append(entry, { ...options, id: `cut-${many}` })
    }
    const [from, to] = [at - dayMs, at + dayMs].map((time) => new Date(time).toISOString().slice(0, 10))
    assert.equal((await store.usage.summarize({ accountId: 'a', from: from ?? '', to: to ?? '' }, options))[0]?.requests, 7)
  })

  test('usage recorded again after an outage, when its entry was already summed, counts once', async () => {
    const clock = createTestClock()
    const url = await createDatabase()
    await using store = await openPostgresStore({ url, clock, limits: roomy, mode: 'tool', time: 'clock' })
    const entry = makeUsageEntry({ at: clock.now() })
    const day = new Date(entry.at).toISOString().slice(0, 10)
    const counted = async () => (await store.usage.summarize({ accountId: 'a', from: day, to: day }, options))[0]?.requests
    await store.usage.append(entry, { ...options, id: 'work' })
    await clock.advance(2 * 60_000)
    assert.equal(await store.usage.rollUp(options), 1)
    await clock.advance(60 * 60_000)
    for (const id of ['work', 'never-written', 'work', 'never-written']) await store.usage.append(entry, { ...options, id })
    assert.equal(await counted(), 2)
    assert.equal(await store.usage.rollUp(options), 1)
    assert.equal(await counted(), 2)
    await clock.advance(dayMs)
    await store.usage.rollUp(options)
    const { query } = await sharedPostgres()
    assert.deepEqual(await query('select work_id from summed_work', new URL(url).pathname.slice(1)), [])
  })

  test('usage recorded again while its entry is being summed counts once', async () => {
    const clock = createTestClock()
    const url = await createDatabase()
    await using store = await openPostgresStore({ url, clock, limits: roomy, mode: 'tool', time: 'clock' })
    const entry = makeUsageEntry({ at: clock.now() })
    await store.usage.append(entry, { ...options, id: 'work' })
    await clock.advance(2 * 60_000)
    for (let round = 0; round < 20; round++) {
      const id = `work-${round}`
      await store.usage.append(entry, { ...options, id })
      await Promise.all([store.usage.rollUp(options), ...Array.from({ length: 5 }, () => store.usage.append(entry, { ...options, id }))])
    }
    const day = new Date(entry.at).toISOString().slice(0, 10)
    assert.equal((await store.usage.summarize({ accountId: 'a', from: day, to: day }, options))[0]?.requests, 21)
  })

  test('work of a claim with a lost answer is claimed again at once, without counting an attempt', async () => {
    await using linked = await openOverLink({ mode: 'tool' })
    const { link, store } = linked
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    link.swallowAnswers(1)
    const first = await claimNext(store.queue)
    assert.deepEqual([first.id, first.attempt, first.deadlyAttempts], [inference.id, 2, 0])
    await release(store.queue, first)
    // Of giving it back and of claiming it again, too.
    for (const many of [2, 3, 2, 3]) {
      link.swallowAnswers(many)
      await tryClaim(store.queue).then(
        (claim) => claim && release(store.queue, claim),
        () => {},
      )
    }
    link.swallowAnswers(0)
    const claim = await claimNext(store.queue)
    assert.deepEqual([claim.id, claim.deadlyAttempts], [inference.id, 0])
    assert.equal(await succeed(store.queue, claim), 'completed')
  })

  test('concurrent claims of one process do not treat each other as lost', async () => {
    await using linked = await openOverLink({ mode: 'tool' })
    const { store } = linked
    for (let index = 0; index < 40; index++) await store.queue.enqueue(makeSubmission(), options)
    const claims = await Promise.all(Array.from({ length: 40 }, () => tryClaim(store.queue)))
    const held = claims.filter((claim) => claim !== null)
    const report = await store.queue.renew(
      held.map(({ id, attempt }) => ({ id, attempt, progress: null })),
      { ...options, leaseMs: 30_000 },
    )
    assert.deepEqual(report, { cancelRequested: [], lost: [] })
  })

  test('authentication on a hung server returns 503 after a second, everything else within eight', async () => {
    await using linked = await openOverLink()
    const { link, store } = linked
    await insist(() => store.tokens.findByHash('h', options))
    link.hold()
    const first: string[] = []
    const note = (name: string, call: Promise<unknown>) => assert.rejects(call, away).then(() => first.push(name))
    await Promise.all([
      note('submit', store.queue.enqueue(makeSubmission(), options)),
      note('poll', store.log.find('01a204a6-f0f1-7f0d-9e9e-7e0fdde02af4', 'a', options)),
      note('token', store.tokens.findByHash('h', options)),
      note('session', store.accounts.findSession('h', options)),
      note(
        'within eight seconds',
        store.clock.wait(8000, options).then(() => Promise.reject(Object.assign(new Error(), away))),
      ),
    ])
    assert.deepEqual(first.slice(0, 2).sort(), ['session', 'token'])
    assert.equal(first.at(-1), 'within eight seconds')
    link.letGo()
    assert.equal(await insist(() => store.tokens.findByHash('h', options)), null)
  })

  test('queued statements on a hung server also fail within eight seconds', async () => {
    await using linked = await openOverLink()
    const { link, store } = linked
    await insist(() => store.tokens.findByHash('h', options))
    link.hold()
    const first = store.queue.enqueue(makeSubmission(), options)
    await Promise.all([
      assert.rejects(first, away),
      store.clock.wait(3000, options).then(async () => {
        const second = assert.rejects(store.queue.enqueue(makeSubmission(), options), away).then(() => 'rejected')
        const late = store.clock.wait(8000, options).then(() => 'late')
        assert.equal(await Promise.race([second, late]), 'rejected')
      }),
    ])
    link.letGo()
  })

  test('a killed server returns 503, and the store works again as soon as it is up', async () => {
    const server = await sharedPostgres()
    await using store = await openPostgresStore({ url: await createDatabase(), clock: createSystemClock(), limits: roomy, mode: 'service' })
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    for (let round = 0; round < 3; round++) {
      await server.kill()
      // The process of a connection detects a moment later that its server is dead.
      while (await store.log.find(inference.id, 'a', options).catch(() => null));
      await assert.rejects(store.queue.enqueue(makeSubmission({ accountId: 'b' }), options), away)
      await assert.rejects(store.queue.cancel({ id: inference.id, accountId: 'a' }, options), away)
      await server.start()
      assert.equal((await store.log.find(inference.id, 'a', options))?.status, 'running')
    }
    assert.equal(await succeed(store.queue, claim), 'completed')
    const before = store.queue.waitForWork(60_000, options)
    await store.queue.enqueue(makeSubmission(), options)
    await before
  })

  test('leases that expired while the database was down can be renewed for a time before they are taken', async () => {
    await using linked = await openOverLink()
    const { link, store } = linked
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const rooms = [{ model: inference.model, room: 1 }]
    const [claim] = await store.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 0 }, options)
    assert.ok(claim)
    const sweep = () => store.queue.sweep({ maxQueueMs: 60_000, spared: [] }, options)
    link.cut()
    assert.equal((await sweep()).requeued, 0)
    assert.deepEqual((await store.queue.renew([{ ...claim, progress: null }], { ...options, leaseMs: 0 })).lost, [])
    while ((await sweep()).requeued === 0);
    assert.equal((await store.queue.renew([{ ...claim, progress: null }], { ...options, leaseMs })).lost.length, 1)
  })

  test('leases that expired while a lock blocked all statements can be renewed for a time before they are taken', async () => {
    await using linked = await openOverLink({ mode: 'tool' })
    const { store, database } = linked
    const { inference } = await store.queue.enqueue(makeSubmission(), options)
    const rooms = [{ model: inference.model, room: 1 }]
    const [claim] = await store.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 0 }, options)
    assert.ok(claim)
    const sweep = () => store.queue.sweep({ maxQueueMs: 60_000, spared: [] }, options)
    const renew = () => store.queue.renew([{ ...claim, progress: null }], { ...options, leaseMs: 0 })
    const other = new Client((await sharedPostgres()).url(database))
    await other.connect()
    try {
      const lock = () => other.query('begin; lock table queue in access exclusive mode')
      await lock()
      const swept = sweep()
      while (
        (await other.query(`select 1 from pg_locks join pg_database on oid = database where datname = current_database() and not granted`))
          .rows.length === 0
      );
      await other.query('select pg_sleep(1.1); commit')
      assert.equal((await swept).requeued, 0)
      assert.deepEqual((await renew()).lost, [])
      await lock()
      await assert.rejects(store.queue.enqueue(makeSubmission(), options), away)
      await other.query('commit')
      assert.equal((await sweep()).requeued, 0)
      assert.deepEqual((await renew()).lost, [])
      while ((await sweep()).requeued === 0);
      assert.equal((await renew()).lost.length, 1)
    } finally {
      await other.end()
    }
  })

  test('a store closes although its server hangs', { timeout: 300_000 }, async () => {
    await using linked = await openOverLink()
    linked.link.hold()
    await linked.store[Symbol.asyncDispose]()
  })

  test('a store closed during a reconnect leaves no connection behind', { timeout: 300_000 }, async () => {
    await using linked = await openOverLink()
    const { link, store, database } = linked
    const { query } = await sharedPostgres()
    const findListeners = async () =>
      (await query(`select pid from pg_stat_activity where datname = '${database}' and query like 'listen %'`)).map(({ pid }) => pid)
    const [first] = await findListeners()
    link.slow(300)
    link.cut()
    while ((await findListeners()).every((pid) => pid === first)) await setImmediate()
    await store[Symbol.asyncDispose]()
    while ((await findListeners()).length > 0) await setImmediate()
  })

  test('neither errors nor warnings show the password', async () => {
    const { port } = await sharedPostgres()
    for (const address of [`postgres://nobody:hunter2@127.0.0.1:${port}/absent`, 'postgres://nobody:hunter2@127.0.0.1:1/absent']) {
      const opening = openPostgresStore({ url: address, clock: createSystemClock(), limits: roomy, mode: 'tool' })
      const error: unknown = await opening.catch((reason: unknown) => reason)
      assert.ok(error instanceof Error)
      assert.doesNotMatch(`${error.stack} ${String(error.cause)} ${JSON.stringify(error)} ${JSON.stringify(error.cause)}`, /hunter2/)
    }
  })
})
