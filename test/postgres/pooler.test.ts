import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { checkDatabase } from '../../src/storage/postgres/check-database.ts'
import { openPostgresStore } from '../../src/storage/postgres/open-postgres-store.ts'
import { claimNext, succeed } from '../conformance/claiming.ts'
import { options, roomy } from '../conformance/store-factory.ts'
import { startPooler, withoutPooler } from '../support/postgres/pooler.ts'
import { createDatabase, sharedPostgres } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'
import { makeSubmission } from '../support/submission.ts'

const open = (url: string) => openPostgresStore({ url, clock: createSystemClock(), limits: roomy, mode: 'service' })

suite('PostgreSQL behind a pooler', { skip: withoutPostgres || withoutPooler }, () => {
  test('a pooler that rejects settings is reported in a sentence', async () => {
    await using pooler = await startPooler(await createDatabase(), { mode: 'session', ignoresOptions: false })
    await assert.rejects(open(pooler.url), /lacks the settings.*ALTER ROLE/)
    await assert.rejects(checkDatabase(pooler.url), /lacks the settings.*ALTER ROLE/)
  })

  test('a pooler that drops settings, and with them durable commits and timeouts, is rejected', async () => {
    await using pooler = await startPooler(await createDatabase(), { mode: 'session', ignoresOptions: true })
    await assert.rejects(open(pooler.url), /lacks the settings.*statement_timeout/)
    await assert.rejects(checkDatabase(pooler.url), /lacks the settings.*statement_timeout/)
  })

  test('a session pooler works if the database has the settings; a transaction pooler is rejected', async () => {
    const target = await createDatabase()
    const { query } = await sharedPostgres()
    for (const [name, value] of Object.entries(given))
      await query(`alter database ${new URL(target).pathname.slice(1)} set ${name} = '${value}'`)
    await using sessions = await startPooler(target, { mode: 'session', ignoresOptions: true })
    await using store = await open(sessions.url)
    await store.queue.enqueue(makeSubmission(), options)
    assert.equal(await succeed(store.queue, await claimNext(store.queue)), 'completed')
    await using transactions = await startPooler(target, { mode: 'transaction', ignoresOptions: true })
    await assert.rejects(open(transactions.url), /pooler in transaction mode/)
    await assert.rejects(checkDatabase(transactions.url), /pooler in transaction mode/)
  })
})

/** As docs/scaling.md gives them. */
const given = {
  synchronous_commit: 'on',
  statement_timeout: '5s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '10s',
  default_transaction_isolation: 'read committed',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
}
