import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { inferenceKind } from '../../src/core/inference.ts'
import { makeAccount } from '../../src/operations/access/accounts.ts'
import { openPostgresStore, type PostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claim } from '../../src/storage/postgres/queue/claim.ts'
import { insertSubmissions } from '../../src/storage/postgres/queue/enqueue.ts'
import { PostgresRequestLog } from '../../src/storage/postgres/request-log.ts'
import type { Statements } from '../../src/storage/tables/statements.ts'
import { workFormat } from '../../src/storage/work-format.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

const waiting = 600

/** A store with a long queue for which PostgreSQL has no statistics. */
async function openWithWork(): Promise<PostgresStore> {
  const store = await openPostgresStore({ url: await createDatabase(), clock: createSystemClock(), limits: roomy, mode: 'service' })
  await store.database.run('alter table queue set (autovacuum_enabled = false)')
  await Promise.all(Array.from({ length: waiting }, () => store.queue.enqueue(makeSubmission(), options)))
  return store
}

/** Rows of the queue, or of another table, that something reads. */
async function countRead(statements: Statements, work: () => Promise<void>, table = 'queue'): Promise<number> {
  const sql = `select seq_tup_read + idx_tup_fetch as read from pg_stat_xact_user_tables where relname = '${table}'`
  const before = await statements.get(sql)
  await work()
  const after = await statements.get(sql)
  return Number(after?.read) - Number(before?.read)
}

suite('reads from a long queue in PostgreSQL', { skip: withoutPostgres }, () => {
  test('a claim reads only the claimed rows, however long the queue', async () => {
    await using store = await openWithWork()
    const wanted = { workerId: 'w', rooms: [{ model: 'fake-image', room: 1 }], limit: 1, leaseMs: 1000, format: workFormat }
    const read = await store.database.transaction((statements) =>
      countRead(statements, async () => {
        const claimed = await claim(statements, { ...wanted, claim: '01a20ada-2c00-7000-8000-000000000000' }, store.clock.now())
        assert.equal(claimed.length, 1)
      }),
    )
    assert.ok(read < 10, `${read} rows were read`)
  })

  test('a submission reads only the ends of the queue, however long it is', async () => {
    await using store = await openWithWork()
    const { work, ...submission } = makeSubmission()
    const encoded = {
      ...submission,
      id: '01a20ada-2c00-7000-8000-000000000001',
      kind: inferenceKind(work),
      model: work.request.model,
      body: new Uint8Array(8),
      format: workFormat,
      workBytes: 8,
      traceparent: null,
    }
    const read = await store.database.transaction((statements) =>
      countRead(statements, async () => {
        assert.equal((await insertSubmissions(statements, [encoded], store.clock.now())).size, 1)
      }),
    )
    assert.ok(read < 10, `${read} rows were read`)
  })

  test('the expiry of sessions reads only expired ones', async () => {
    await using store = await openPostgresStore({ url: await createDatabase(), clock: createSystemClock(), limits: roomy, mode: 'service' })
    await store.accounts.create(makeAccount(store, { name: 'Ada', role: 'owner' }), options)
    await store.database.run(
      `insert into sessions (hash, account_id, created_at, expires_at)
         select n::text, accounts.id, 1, case when n <= 2 then 5 else 9e15 end from generate_series(1, 5000) as n, accounts`,
    )
    await store.database.run('analyze sessions')
    const rows = await store.database.all('explain delete from sessions where expires_at <= 5')
    assert.match(JSON.stringify(rows), /sessions_expiry/)
  })

  test('the expiry of requests reads no record that lost its words', async () => {
    await using store = await openPostgresStore({ url: await createDatabase(), clock: createSystemClock(), limits: roomy, mode: 'service' })
    await store.database.run(
      `insert into request_records (id, account_id, kind, model, at, outcome, excerpt)
         select n::text, 'a', 'chat', 'm', 5, 'failed', case when n <= 2 then 'a tiger' end from generate_series(1, 5000) as n`,
    )
    await store.database.run('analyze request_records')
    const read = await store.database.transaction((statements) => {
      const requests = new PostgresRequestLog(statements, store.clock)
      const expire = async () => assert.equal(await requests.expire({ words: 9, all: 1 }), 2)
      return countRead(statements, expire, 'request_records')
    })
    assert.ok(read < 10, `${read} rows were read`)
  })

  test('sums are written into a row that no other transaction is writing', async () => {
    await using store = await openWithWork()
    await store.database.transaction(async (statements) => {
      const mine = await statements.get('select pg_backend_pid() % 16 as own')
      await store.database.transaction(async (others) => {
        const theirs = await others.get('select pg_try_advisory_xact_lock(7335742, :own) as held', { own: mine?.own })
        assert.equal(theirs?.held, true)
        const lane = async () => (await statements.get('select free_lane() as lane'))?.lane
        const found = await lane()
        assert.notEqual(found, mine?.own)
        assert.equal(await lane(), found)
      })
    })
  })
})
