import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client } from 'pg'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { Database } from '../../src/storage/postgres/database.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { documentSums } from '../../src/storage/postgres/schema/limit-tables.ts'
import { migrate, migrationLock } from '../../src/storage/postgres/schema/migrate.ts'
import { migrations } from '../../src/storage/postgres/schema/migrations.ts'
import { dropPartitions, makePartitions } from '../../src/storage/postgres/schema/partitions.ts'
import { requestErrors, usageWork } from '../../src/storage/postgres/schema/request-tables.ts'
import { claimNext, succeed } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { makeUsageEntry } from '../support/memory/usage-entry.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { startPostgres, withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'

const dayMs = 24 * 60 * 60 * 1000

suite('the schema on PostgreSQL', { skip: withoutPostgres }, () => {
  test('an older program keeps working after a migration unless the migration forbids it', async () => {
    const url = await createDatabase()
    const wider = { sql: 'alter table accounts add column colour text', leastProgram: migrations.length }
    const narrower = { sql: 'alter table accounts drop column colour', leastProgram: migrations.length + 2 }
    await migrate(url, [...migrations, wider])
    await (await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'tool' }))[Symbol.asyncDispose]()
    await migrate(url, [...migrations, wider, narrower])
    await assert.rejects(migrate(url), new RegExp(`changed by a newer version of the service \\(schema ${migrations.length + 2}\\)`))
  })

  test('a failed migration leaves nothing behind', async () => {
    const url = await createDatabase()
    const broken = { sql: 'create table half (id integer); select nothing from nowhere', leastProgram: 1 }
    await assert.rejects(migrate(url, [...migrations, broken]))
    const { query } = await sharedPostgres()
    assert.deepEqual(await query(`select to_regclass('half') as half`, new URL(url).pathname.slice(1)), [{ half: null }])
    await migrate(url)
  })

  test('a migration that waits for a backup does not block running nodes, and is applied after the backup', async () => {
    const url = await createDatabase()
    await using store = await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })
    await store.queue.enqueue(makeSubmission(), options)
    await succeed(store.queue, await claimNext(store.queue))
    const wider = { sql: 'alter table queue add column colour text', leastProgram: 1 }
    const backup = new Client(url)
    await backup.connect()
    try {
      await backup.query('begin; select 1 from queue')
      const migrated = migrate(url, [...migrations, wider])
      const waits = `select 1 from pg_locks join pg_database on oid = database where datname = current_database() and not granted`
      while ((await backup.query(waits)).rows.length === 0);
      await store.queue.enqueue(makeSubmission(), options)
      await backup.query('commit')
      await migrated
      assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
    } finally {
      await backup.end()
    }
  })

  test('a migration ends an automatic vacuum in its way', async () => {
    await using server = await startPostgres({ settings: ['autovacuum_naptime=1s'] })
    const url = server.url('postgres')
    await migrate(url)
    const slow = 'autovacuum_vacuum_cost_delay = 100, autovacuum_vacuum_cost_limit = 1'
    await server.query(`alter table request_records set (autovacuum_vacuum_threshold = 1, autovacuum_vacuum_scale_factor = 0, ${slow})`)
    await server.query(
      `insert into request_records (id, account_id, kind, model, at) select n::text, 'a', 'chat', 'm', 1 from generate_series(1, 50000) as n`,
    )
    await server.query('delete from request_records where seq % 7 = 0')
    while ((await server.query("select 1 from pg_stat_progress_vacuum where relid = 'request_records'::regclass")).length === 0);
    await migrate(url, [...migrations, { sql: 'create index request_records_kind on request_records (kind)', leastProgram: 1 }])
  })

  test("a node that starts during another's migration waits for its end", async () => {
    const url = await createDatabase()
    const other = new Client(url)
    await other.connect()
    try {
      await other.query(`select pg_advisory_lock(${migrationLock})`)
      const migrated = migrate(url)
      await other.query('select pg_sleep(1.2)')
      await other.query(`select pg_advisory_unlock(${migrationLock})`)
      await migrated
    } finally {
      await other.end()
    }
  })

  test('a database from before document sums gets them, and older writers keep them correct', async () => {
    const url = await createDatabase('template1')
    const before = migrations.slice(
      0,
      migrations.findIndex(({ sql }) => sql === documentSums),
    )
    await migrate(url, before)
    const name = new URL(url).pathname.slice(1)
    const { query } = await sharedPostgres()
    const insert = (id: string, accountId: string, bytes: number, expiresAt: number | null) =>
      query(
        `insert into documents (kind, id, account_id, value, at, text, attached_bytes, expires_at, version, bytes)
           values ('asset', '${id}', '${accountId}', 'null', 1, '', 0, ${expiresAt}, 1, ${bytes})
         on conflict (kind, id) do update set bytes = excluded.bytes`,
        name,
      )
    await insert('one', 'a', 10, null)
    await insert('two', 'a', 20, 5)
    await insert('three', 'b', 30, null)
    await using store = await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })
    const sum = (accountId: string) => store.documents.sum({ accountId, kind: null }, options)
    assert.deepEqual(
      [await sum('a'), await sum('b')],
      [
        { count: 1, bytes: 10 },
        { count: 1, bytes: 30 },
      ],
    )
    await insert('one', 'a', 15, null)
    await insert('four', 'a', 1, null)
    await query(`delete from documents where id = 'three'`, name)
    assert.deepEqual(
      [await sum('a'), await sum('b')],
      [
        { count: 2, bytes: 16 },
        { count: 0, bytes: 0 },
      ],
    )
  })

  test('requests from before stored errors have none, and older writers continue', async () => {
    const url = await createDatabase('template1')
    const before = migrations.slice(
      0,
      migrations.findIndex(({ sql }) => sql === requestErrors),
    )
    await migrate(url, before)
    const { query } = await sharedPostgres()
    const insert = (id: string) =>
      query(
        `insert into request_records (id, account_id, kind, model, at, outcome) values ('${id}', 'a', 'chat', 'm', 1, 'failed')`,
        new URL(url).pathname.slice(1),
      )
    await insert('before')
    await using store = await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })
    await insert('of a step less')
    const wanted = { accountId: 'a', search: null, kind: null, deferred: null, ids: null, before: null, limit: 10 }
    const [earlier, ...rest] = await store.requests.list(wanted, options)
    assert.ok(earlier?.result)
    assert.deepEqual([earlier.result.error, rest[0]?.result?.error], [null, null])
    const error = { code: 'inference_failed', message: 'It failed.', param: null } as const
    await store.requests.append([{ ...earlier, result: { ...earlier.result, error } }], options)
    assert.deepEqual((await store.requests.list(wanted, options))[0]?.result?.error, error)
  })

  test('usage from before entries named their work still counts, older writers continue, and completed results stay as they are', async () => {
    const url = await createDatabase('template1')
    const name = new URL(url).pathname.slice(1)
    await migrate(
      url,
      migrations.slice(
        0,
        migrations.findIndex(({ sql }) => sql === usageWork),
      ),
    )
    const { query } = await sharedPostgres()
    const insert = () =>
      query(
        `insert into usage_entries (day, at, account_id, model, failures, prompt_tokens, completion_tokens, images)
         values ('1970-01-01', 1, 'a', 'm', 0, 1, 1, 0)`,
        name,
      )
    await insert()
    await using store = await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })
    await insert()
    for (let round = 0; round < 2; round++) await store.usage.append(makeUsageEntry(), { ...options, id: 'work' })
    const [day] = await store.usage.summarize({ accountId: 'a', from: '1970-01-01', to: '1970-01-01' }, options)
    assert.equal(day?.requests, 3)
    await store.queue.enqueue(makeSubmission(), options)
    await succeed(store.queue, await claimNext(store.queue))
    for (const change of ["outcome = 'failed'", 'attempt = 2', "output_sha256 = 'x'"])
      await assert.rejects(query(`update inferences set ${change}`, name), /never changes once it is there/, change)
  })

  test('invitations from before notes have none, and older writers continue', async () => {
    const url = await createDatabase('template1')
    const before = migrations.slice(
      0,
      migrations.findIndex(({ sql }) => sql.includes('alter table invitations add column note')),
    )
    await migrate(url, before)
    const { query } = await sharedPostgres()
    const insert = (hash: string) =>
      query(
        `insert into invitations (hash, role, created_at, expires_at) values ('${hash}', 'member', 1, 9)`,
        new URL(url).pathname.slice(1),
      )
    await insert('before')
    await using store = await openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })
    await insert('of a step less')
    const invitation = { role: 'member', accountId: null, invitedBy: null, note: 'Bob', createdAt: 2, expiresAt: 9 } as const
    await store.accounts.createInvitation({ ...invitation, hash: 'with a note' }, options)
    assert.deepEqual(
      (await store.accounts.listInvitations(options)).map(({ hash, note }) => [hash, note]),
      [
        ['before', null],
        ['of a step less', null],
        ['with a note', 'Bob'],
      ],
    )
  })

  test('a server that could lose commits is rejected', async () => {
    await using server = await startPostgres({ settings: ['fsync=off'] })
    await assert.rejects(migrate(server.url('postgres')), /may lose confirmed writes/)
  })

  test('records move into the partition of their day, which is dropped once its last record expires', async () => {
    const clock = createTestClock()
    const url = await createDatabase()
    await using store = await openPostgresStore({ url, clock, limits: roomy, mode: 'service', time: 'clock' })
    await using database = new Database(url)
    const { query } = await sharedPostgres()
    const name = new URL(url).pathname.slice(1)
    const placeOf = async (id: string) =>
      (await query(`select tableoid::regclass::text as place from inferences where id = '${id}'`, name))[0]?.place
    const old = (await store.queue.enqueue(makeSubmission(), options)).inference.id
    assert.equal(await placeOf(old), 'inferences_d20260101')
    await succeed(store.queue, await claimNext(store.queue))
    await clock.advance(20 * dayMs)
    const early = (await store.queue.enqueue(makeSubmission(), options)).inference.id
    assert.equal(await placeOf(early), 'inferences_other')
    await makePartitions(database, clock.now())
    assert.equal(await placeOf(early), 'inferences_d20260121')
    const random = '0ddba11a-0000-4000-8000-000000000000'
    await store.queue.enqueue(makeSubmission({ id: random }), options)
    assert.equal(await placeOf(random), 'inferences_other')
    assert.ok((await dropPartitions(database, clock.now())) >= 1)
    assert.equal(await placeOf(old), undefined)
    await clock.advance(40 * dayMs)
    await dropPartitions(database, clock.now())
    assert.equal((await store.log.find(early, 'a', options))?.status, 'pending')
  })
})
