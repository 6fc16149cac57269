import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writeEarlierDatabase } from '../../../test/support/sqlite/earlier-database.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { Connection } from './connection.ts'
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
  const { log, ran } = openLog(connection)
  assert.deepEqual([await log.expire({ words: 9, all: 1 }), await log.expire({ words: 9, all: 1 })], [2, 0])
  assert.deepEqual(connection.all('select id from request_records where excerpt is not null'), [])
  assert.deepEqual(
    ran.slice(0, 5).map((statement) => indexesOf(connection, statement)),
    [['request_records_age'], ['request_records_words'], ['request_records_words'], byResult, byResult],
  )
})

test('the expiry of requests reads those whose results are kept longer once, and then when the results expire', async () => {
  await using folder = await createTemporaryFolder()
  using connection = openDatabase(`${folder.path}/sepia.db`)
  const { log, ran, clock } = openLog(connection)
  const start = clock.now()
  const insert = `insert into request_records (id, account_id, kind, model, at, excerpt) values (:id, 'a', 'image', 'm', :at, 'a tiger')`
  const complete = `insert into inferences (id, account_id, kind, model, priority, status, outcome, created_at, queued_at, completed_at, expires_at)
    values (:id, 'a', 'image', 'm', 1, 'completed', 'cancelled', 1, 1, 2, :expiresAt)`
  for (let number = 0; number < 3; number++) {
    connection.run(insert, { id: `r${number}`, at: 5 })
    connection.run(complete, { id: `r${number}`, expiresAt: start + 1000 * (number + 1) })
  }
  const wordsLeft = () => connection.all('select id from request_records where excerpt is not null order by id').map(({ id }) => id)
  const expire = async (words = 9) => {
    ran.length = 0
    while ((await log.expire({ words, all: 1 })) > 0);
    return ran.at(-1)?.parameters
  }
  await expire()
  assert.deepEqual(wordsLeft(), ['r0', 'r1', 'r2'])
  await clock.advance(1000)
  // Only ages after 9, and only results that expired after the first call.
  const { agedSince, endedSince } = (await expire()) ?? {}
  assert.deepEqual({ agedSince, endedSince }, { agedSince: 9, endedSince: start })
  assert.deepEqual(wordsLeft(), ['r1', 'r2'])
  connection.run(insert, { id: 'aged', at: 12 })
  await expire(12)
  assert.deepEqual(wordsLeft(), ['r1', 'r2'])
  await clock.advance(2000)
  await expire(12)
  assert.deepEqual(wordsLeft(), [])
})

test('a request that began before the last expiry and was recorded after it loses its words with the next', async () => {
  await using folder = await createTemporaryFolder()
  using connection = openDatabase(`${folder.path}/sepia.db`)
  const { log } = openLog(connection)
  const result = { outcome: 'failed', promptTokens: 0, completionTokens: 0, images: 0, durationMs: 1, firstTokenMs: null } as const
  const error = { code: 'inference_failed', message: 'Half a tiger.', param: null } as const
  const request = { accountId: 'a', tokenId: null, kind: 'chat', model: 'm', requested: null, result: { ...result, error } } as const
  assert.equal(await log.expire({ words: 9, all: 1 }), 0)
  // The clock was set forward while it ran.
  await log.append([{ ...request, id: 'long', at: 5 }])
  assert.deepEqual([await log.expire({ words: 9, all: 1 }), await log.expire({ words: 9, all: 1 })], [1, 0])
  assert.deepEqual(connection.all(`select id from request_records where error like '%tiger%'`), [])
})

/** The index of results by their expiry, then that of records by their id. */
const byResult = ['request_records_id', 'inferences_expiry']

function openLog(connection: Connection) {
  const ran: Statement[] = []
  class RecordingDatabase extends SqliteDatabase {
    override runAll(statements: readonly Statement[]): Promise<readonly number[]> {
      ran.push(...statements)
      return super.runAll(statements)
    }
  }
  const clock = createTestClock()
  return { log: new SqliteRequestLog(new RecordingDatabase(new DirectWriter(connection), connection, clock), clock), ran, clock }
}

/** Indexes by which a statement finds old records; it may read no table as a whole. */
function indexesOf(connection: Connection, { sql, parameters }: Statement): readonly string[] {
  const plan = connection.all(`explain query plan ${sql}`, parameters).map(({ detail }) => String(detail))
  assert.deepEqual(
    plan.filter((step) => step.startsWith('SCAN')),
    [],
    plan.join('\n'),
  )
  return plan.flatMap((step) => /INDEX (request_records_(?:words|age|id)|inferences_expiry)/.exec(step)?.[1] ?? [])
}
