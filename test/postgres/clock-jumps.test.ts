import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { DatabaseClock } from '../../src/storage/postgres/database-clock.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claimNext, succeed } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { makeNodeReport } from '../support/cluster/node-report.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

/** Two nodes on a database whose clock a test sets. */
async function openNodes() {
  await using parts = new AsyncDisposableStack()
  const url = await createDatabase()
  const name = new URL(url).pathname.slice(1)
  const { query } = await sharedPostgres()
  // Found before the server's own, where the path says so.
  await query(
    `create table jump (by interval not null); insert into jump values ('0');
     create function clock_timestamp() returns timestamptz language sql as 'select pg_catalog.clock_timestamp() + by from public.jump';
     alter database ${name} set search_path = public, pg_catalog`,
    name,
  )
  const open = async () => parts.use(await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' }))
  const [quick, slow] = [await open(), await open()]
  assert.ok(quick.clock instanceof DatabaseClock && slow.clock instanceof DatabaseClock)
  const owned = parts.move()
  return {
    quick: { ...quick, clock: quick.clock },
    slow: { ...slow, clock: slow.clock },
    query: (sql: string) => query(sql, name),
    jump: (by: string) => query(`update jump set by = '${by}'`, name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

suite('the clock of PostgreSQL jumps', { skip: withoutPostgres }, () => {
  test('an hour ahead, and the first node to notice takes no work from the others', async () => {
    await using nodes = await openNodes()
    const { quick, slow, jump } = nodes
    const { inference } = await slow.queue.enqueue(makeSubmission(), options)
    const rooms = [{ model: inference.model, room: 1 }]
    const [claim] = await slow.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 10_000 }, options)
    assert.ok(claim)

    const before = quick.clock.now()
    await jump('1 hour')
    await quick.clock.correct()
    // Either reading may be wrong by half of what its query took.
    assert.ok(quick.clock.now() - before > 3_500_000)
    const sweep = () => quick.queue.sweep({ maxQueueMs: 24 * 3_600_000, spared: [] }, options)
    assert.equal((await sweep()).requeued, 0)
    await slow.clock.correct()
    const report = await slow.queue.renew([{ ...claim, progress: null }], { ...options, leaseMs: 10_000 })
    assert.deepEqual(report, { cancelRequested: [], lost: [] })
    assert.equal((await sweep()).requeued, 0)
  })

  test('a sweep that waited for the time takes no work, since its holders could not renew it either', async (context) => {
    await using nodes = await openNodes()
    const { queue, clock } = nodes.quick
    const { inference } = await queue.enqueue(makeSubmission(), options)
    const rooms = [{ model: inference.model, room: 1 }]
    await queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 1 }, options)
    const sweep = async () => (await queue.sweep({ maxQueueMs: 24 * 3_600_000, spared: [] }, options)).requeued

    const now = performance.now.bind(performance)
    let stalledMs = 0
    context.mock.method(performance, 'now', () => now() + stalledMs)
    const correct = context.mock.method(clock, 'correct', async () => {
      stalledMs = 1000
    })
    assert.equal(await sweep(), 0)
    correct.mock.restore()
    while ((await sweep()) === 0);
  })

  for (const by of ['1 second', '1 hour'])
    test(`${by} back, and running work is not taken, while pending work still runs`, async () => {
      await using nodes = await openNodes()
      const { quick, slow, jump } = nodes
      const submit = async () => (await slow.queue.enqueue(makeSubmission(), options)).inference
      const rooms = [{ model: (await submit()).model, room: 1, waitedMs: 0 }]
      const claim = async (store: typeof quick) =>
        (await store.queue.claim({ workerId: 'w', rooms, limit: 1, leaseMs: 10_000 }, options))[0]
      const running = await claim(quick)
      const delayed = await submit()
      const tried = await claim(slow)
      assert.ok(running !== undefined && tried?.id === delayed.id)
      await slow.queue.release(tried, { delayMs: 600_000, usage: null }, options)
      const waiting = await submit()

      await jump(`-${by}`)
      await quick.clock.correct()
      await quick.queue.renew([{ ...running, progress: null }], { ...options, leaseMs: 10_000 })
      // The other node has not looked at the clock since.
      assert.equal((await slow.queue.sweep({ maxQueueMs: 24 * 3_600_000, spared: [] }, options)).requeued, 0)
      const report = await quick.queue.renew([{ ...running, progress: null }], { ...options, leaseMs: 10_000 })
      assert.deepEqual(report, { cancelRequested: [], lost: [] })
      assert.equal((await claim(quick))?.id, by === '1 hour' ? delayed.id : waiting.id)
      if (by === '1 hour') assert.equal((await claim(quick))?.id, waiting.id)
      assert.equal(await claim(slow), undefined)
    })

  test('an hour back, and expired nodes and processes stay expired', async () => {
    await using nodes = await openNodes()
    const { quick, jump, query } = nodes
    await query(`insert into holders (id, seen_at) values ('${randomUUID()}', clock_timestamp() - interval '10 minutes')`)
    await query(
      `insert into kept_places (subject, holder, places) select 'account', id, 1 from holders where seen_at < clock_timestamp() - interval '9 minutes'`,
    )
    const keep = () => quick.counts.keepPlaces({ subject: 'account', places: 1, limit: 1 }, options)
    assert.equal(await keep(), 1)
    await quick.nodes.report(makeNodeReport('gone'), options)

    await jump('-1 hour')
    await quick.clock.correct()
    // As long from there as a node may be silent.
    await jump('-58 minutes')
    await quick.clock.correct()
    assert.equal(await keep(), 1)
    const reported = await quick.nodes.report(makeNodeReport('here'), options)
    assert.deepEqual(
      reported.map(({ id }) => id),
      ['here'],
    )
  })

  test('a day back, and webhooks wait no longer than their retry delays, on any number of nodes', async () => {
    await using nodes = await openNodes()
    const { quick, slow, jump } = nodes
    await slow.queue.enqueue(makeSubmission({ webhookUrl: 'https://receiver.example/' }), options)
    await succeed(slow.queue, await claimNext(slow.queue))
    const due = async ({ webhooks }: typeof quick) => (await webhooks.due({ limit: 1, perAccount: 1 }, options))[0]
    const first = await due(slow)
    assert.ok(first)
    const next = async () => (await slow.webhooks.list(first.accountId, options))[0]?.nextAttemptAt ?? 0
    // The node that took it is gone, and the clock goes back before another does.
    await jump('-1 day')
    for (const { clock } of [quick, slow, quick]) await clock.correct()
    assert.ok((await next()) <= quick.clock.now())

    await jump('0')
    for (const { clock } of [quick, slow]) await clock.correct()
    const nextAttemptAt = quick.clock.now() + 300_000
    await slow.webhooks.record(first.id, { state: 'waiting', nextAttemptAt: 0, result: '503' }, options)
    await slow.webhooks.record(first.id, { state: 'waiting', nextAttemptAt, result: '503' }, options)
    await jump('-1 day')
    for (const { clock } of [quick, slow, quick]) await clock.correct()
    assert.ok((await next()) <= quick.clock.now() + 300_000)
    assert.ok((await next()) > quick.clock.now() + 200_000)
  })
})
