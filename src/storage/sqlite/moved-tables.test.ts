import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { movedTables } from '../moving/moved-table.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

/** Sums that the other home makes of what moves, and how work waits here. */
const recreatedTables = [
  'inference_work',
  'queue_shares',
  'reserved_sums',
  'stored_sums',
  'document_sums',
  'usage_open_sums',
  'sqlite_sequence',
]

test('every table moves to another home, or is recreated there', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  await (await openSqliteStore({ file, clock: createTestClock(), limits: { maxPending: 1 }, mode: 'service' }))[Symbol.asyncDispose]()
  using database = new DatabaseSync(file, { readOnly: true })
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all()
  const known = [...movedTables.map(({ name }) => name), ...recreatedTables]
  assert.deepEqual(
    tables.map(({ name }) => String(name)).filter((name) => !known.includes(name)),
    [],
  )
})
