import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { ServiceError } from '../../src/core/error.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { checkDatabase } from '../../src/storage/postgres/check-database.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claimNext, succeed, tryClaim } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { insist } from '../support/postgres/insist.ts'
import { sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

const ada = { name: 'Ada', email: null, role: 'owner', createdAt: 1, disabledAt: null, limits: noLimits } as const

const open = (url: string) => openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })

/** A new database of a new role, each by this name, that an administrator has set up in his own way. */
async function setUp(name: string, statements: readonly string[], kind = ''): Promise<string> {
  const { query, port } = await sharedPostgres()
  await query(`create role ${name} login`)
  await query(`create database ${name} owner ${name} ${kind}`)
  for (const each of statements) await query(each, name)
  return `postgres://${name}@127.0.0.1:${port}/${name}`
}

async function serveOne(url: string): Promise<void> {
  await using store = await open(url)
  await store.queue.enqueue(makeSubmission(), options)
  assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
  await store.clock.wait(0, options)
}

suite('PostgreSQL with unusual settings', { skip: withoutPostgres }, () => {
  for (const [name, what, statements, kind] of [
    [
      'german',
      'with German dates, Kiritimati time and escaped bytes',
      [
        `alter database german set datestyle = 'German'`,
        `alter database german set timezone = 'Pacific/Kiritimati'`,
        `alter database german set bytea_output = 'escape'`,
        `alter database german set client_encoding = 'LATIN1'`,
        `alter database german set standard_conforming_strings = off`,
      ],
    ],
    ['icu', 'that sorts by ICU', [], `template template0 encoding UTF8 locale_provider icu icu_locale 'de-u-co-phonebk' locale 'C.UTF-8'`],
    [
      'schemed',
      'with a schema whose name needs quotes',
      ['create schema "My-Schema" authorization schemed', `alter role schemed set search_path = 'My-Schema'`],
    ],
    [
      'hasty',
      'whose role has a moment for each statement',
      [`alter role hasty set statement_timeout = '1ms'`, `alter role hasty set lock_timeout = '1ms'`],
    ],
  ] as const)
    test(`a server ${what} works`, async () => {
      const url = await setUp(name, statements, kind)
      await serveOne(url)
      await checkDatabase(url)
      await serveOne(url)
    })

  test('a schema named in the address holds the tables', async () => {
    const url = await setUp('optional', ['create schema mine authorization optional'])
    await serveOne(`${url}?options=-csearch_path%3Dmine`)
    const { query } = await sharedPostgres()
    assert.equal((await query(`select 1 from pg_tables where schemaname = 'mine' and tablename = 'queue'`, 'optional')).length, 1)
    assert.equal((await query(`select 1 from pg_tables where schemaname = 'public'`, 'optional')).length, 0)
  })

  test('a server that closes idle sessions closes none of ours', async () => {
    const url = await setUp('restless', [`alter database restless set idle_session_timeout = '100ms'`])
    await using store = await open(url)
    const { query } = await sharedPostgres()
    // The session of the migration may end only now.
    const findSessions = async () =>
      (await query(`select pid from pg_stat_activity where datname = 'restless' and application_name = 'sepia'`)).map(({ pid }) => pid)
    const before = await findSessions()
    assert.ok(before.length > 0)
    await store.clock.wait(500, options)
    const after = new Set(await findSessions())
    assert.deepEqual(
      before.filter((pid) => !after.has(pid)),
      [],
    )
    assert.ok(store.database.calmMs() > 400)
  })

  test('a server that turns read-only returns 503, and works again on its next connections', async () => {
    const url = await setUp('retired', [])
    const { query } = await sharedPostgres()
    await using store = await open(url)
    await store.queue.enqueue(makeSubmission(), options)
    await query('alter database retired set default_transaction_read_only = on')
    await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'retired'`)
    await assert.rejects(store.queue.enqueue(makeSubmission(), options), {
      code: 'server_is_overloaded',
      message: /is read-only at the moment/,
    })
    await query('alter database retired reset default_transaction_read_only')
    await store.queue.enqueue(makeSubmission(), options)
    assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
  })

  for (const [name, what, shut, reopen, cause] of [
    [
      'expelled',
      'a role',
      'alter role expelled nologin',
      'alter role expelled login',
      /not permitted to log in; correct user and password/,
    ],
    [
      'closed',
      'connections',
      'alter database closed allow_connections false',
      'alter database closed allow_connections true',
      /not currently accepting connections; allow connections/,
    ],
    ['renamed', 'a database', 'alter database renamed rename to other', 'alter database other rename to renamed', /CREATE DATABASE/],
  ] as const)
    test(`a server that later rejects ${what} returns 503 with what to change, and recovers`, async () => {
      const url = await setUp(name, [])
      const { query } = await sharedPostgres()
      await using store = await open(url)
      await store.queue.enqueue(makeSubmission(), options)
      await query(`alter database ${name} connection limit 0`)
      await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
      await query(shut)
      const isReported = (error: unknown) => {
        assert.ok(error instanceof ServiceError && error.cause instanceof Error)
        assert.deepEqual([error.code, error.message], ['server_is_overloaded', 'The database did not respond in time; try again later.'])
        assert.match(error.cause.message, cause)
        return true
      }
      // First the call with the longer limit, which a busy machine does not exceed before it is refused.
      await assert.rejects(store.queue.enqueue(makeSubmission(), options), isReported)
      await assert.rejects(store.tokens.findByHash('h', options), isReported)
      await query(reopen)
      await query(`alter database ${name} connection limit -1`)
      assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
    })

  test('a server with a changed address is used once the address file changes', async () => {
    const url = await setUp('rotated', [])
    const { query } = await sharedPostgres()
    let address = url
    const readUrl = async () => address
    await using store = await openPostgresStore({ url, readUrl, clock: createSystemClock(), limits: roomy, mode: 'service' })
    await query('alter database rotated connection limit 0')
    await query(`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'rotated'`)
    await query('alter role rotated rename to newcomer')
    await assert.rejects(store.tokens.findByHash('h', options), { code: 'server_is_overloaded' })
    await query('alter database rotated connection limit -1')
    address = url.replace('rotated@', 'newcomer@')
    // Resolved when it is notified again.
    await new Promise<void>((resolve) => void store.notifier.onWork(resolve))
    // The next connection of the pool may be the one that finds the old address refused.
    await insist(() => store.queue.enqueue(makeSubmission(), options))
    assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
  })

  for (const [name, state, message] of [
    ['filled', '53100', /^The disk of the database is full/],
    ['broken', '58030', /^The database did not respond/],
  ] as const)
    test(`a server whose disk is ${name} returns 503 for writes and still serves reads`, async () => {
      const url = await setUp(name, [])
      const { query } = await sharedPostgres()
      await using store = await open(url)
      const { inference } = await store.queue.enqueue(makeSubmission(), options)
      await query(
        `create function fails() returns trigger language plpgsql as $$ begin raise sqlstate '${state}'; end $$;
         create trigger fails before insert or update or delete on queue for each statement execute function fails()`,
        name,
      )
      const expected = { code: 'server_is_overloaded', message }
      await assert.rejects(store.queue.enqueue(makeSubmission(), options), expected)
      await assert.rejects(tryClaim(store.queue), expected)
      assert.equal((await store.log.find(inference.id, 'a', options))?.status, 'pending')
      await query('drop trigger fails on queue', name)
      assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
    })

  test('a node continues while a newer one adds columns to the tables', async () => {
    const url = await setUp('upgraded', [])
    await using store = await open(url)
    // Several at once, so that several connections have prepared each.
    const several = Array.from({ length: 8 })
    const read = async () => {
      await Promise.all(several.map(() => store.accounts.list(options)))
      await Promise.all(several.map(() => insist(() => store.tokens.findByHash('h', options))))
      await Promise.all(several.map(() => insist(() => store.accounts.findSession('h', options))))
    }
    await read()
    const { query } = await sharedPostgres()
    for (const table of ['accounts', 'access_tokens', 'sessions']) await query(`alter table ${table} add column newer text`, 'upgraded')
    await read()
    assert.equal(await store.accounts.createFirstOwner({ ...ada, id: 'a' }, options), true)
    assert.equal(await store.accounts.change('a', { limits: noLimits, by: null }, options), true)
  })
})

suite('an unusable PostgreSQL is reported with what to change', { skip: withoutPostgres }, () => {
  async function assertMessage(url: string, message: RegExp): Promise<void> {
    await assert.rejects(open(url), { message })
    await assert.rejects(checkDatabase(url), { message })
  }

  test('no right to create tables', async () => {
    const { query } = await sharedPostgres()
    const url = await setUp('powerless', ['alter database powerless owner to postgres'])
    await assert.rejects(open(url), {
      message: /may not create tables.*GRANT CREATE ON SCHEMA "public" TO "powerless" in the database "powerless"/,
    })
    await query('grant create on schema public to powerless', 'powerless')
    await serveOne(url)
  })

  for (const [name, what, statements, message] of [
    [
      'reading',
      'a database that takes no writes',
      ['alter database reading set default_transaction_read_only = on'],
      /^The database is read-only.*primary\.$/,
    ],
    ['crowded', 'no connection left', ['alter database crowded connection limit 0'], /too many connections.*max_connections/],
    [
      'homeless',
      'a search path that leads nowhere',
      [`alter database homeless set search_path = 'absent'`],
      /^The search_path.*database\.$/,
    ],
  ] as const)
    test(what, async () => assertMessage(await setUp(name, statements), message))

  test('an address without a server', async () => {
    const { port } = await sharedPostgres()
    await assertMessage(`postgres://stranger@127.0.0.1:${port}/postgres`, /"stranger".*user and password/)
    await assertMessage(`postgres://postgres@127.0.0.1:${port}/absent`, /"absent".*CREATE DATABASE/)
    await assertMessage('postgres://postgres@127.0.0.1:1/absent', /127\.0\.0\.1:1.*ECONNREFUSED/)
    await assertMessage('postgres://postgres@nowhere.invalid/absent', /nowhere\.invalid/)
  })

  test('a server without TLS, and missing certificate files', async () => {
    const { url } = await sharedPostgres()
    await assertMessage(`${url('postgres')}?sslmode=require`, /sslmode/)
    await assertMessage(`${url('postgres')}?sslmode=verify-full&sslrootcert=/absent/ca.pem`, /\/absent\/ca\.pem.*sslrootcert/)
  })
})
