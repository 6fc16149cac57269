import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeEarlierDatabase } from '../../../test/support/sqlite/earlier-database.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { openDatabase } from './open-database.ts'
import { SqliteRequestLog } from './request-log.ts'
import { wordIndex } from './schema/request-tables.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import type { Statement } from './writer/commands.ts'
import { DirectWriter } from './writer/writer.ts'

test('the expiry of requests from before their index finds those with words without reading the others', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  writeEarlierDatabase(file, wordIndex, (earlier) => {
    const sql = `insert into request_records (id, account_id, kind, model, at, excerpt, error) values (:id, 'a', 'image', 'm', 5, :excerpt, :error)`
    earlier.run(sql, { id: 'blank' })
    earlier.run(sql, { id: 'words', excerpt: 'a tiger' })
    earlier.run(sql, { id: 'sentence', error: '{"code":"inference_failed","message":"Half a tiger.","param":null}' })
  })
  using connection = openDatabase(file)
  const ran: Statement[] = []
  class RecordingDatabase extends SqliteDatabase {
    override runAll(statements: readonly Statement[]): Promise<readonly number[]> {
      ran.push(...statements)
      return super.runAll(statements)
    }
  }
  const clock = createTestClock()
  const log = new SqliteRequestLog(new RecordingDatabase(new DirectWriter(connection), connection, clock), clock)
  assert.deepEqual([await log.expire({ words: 9, all: 1 }), await log.expire({ words: 9, all: 1 })], [2, 0])
  assert.deepEqual(connection.all('select id from request_records where excerpt is not null'), [])
  const used = ran.slice(0, 3).map(({ sql, parameters }) => {
    const plan = connection.all(`explain query plan ${sql}`, parameters).map(({ detail }) => String(detail))
    assert.deepEqual(
      plan.filter((step) => step.startsWith('SCAN')),
      [],
    )
    return plan.flatMap((step) => /INDEX (request_records_(?:words|age))/.exec(step)?.[1] ?? [])
  })
  assert.deepEqual(used, [['request_records_age'], ['request_records_words'], ['request_records_words']])
})
