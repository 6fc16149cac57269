import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeSubmission } from '../../../test/support/submission.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { Connection } from './connection.ts'
import { openDatabase } from './open-database.ts'
import { openSqliteStore } from './open-sqlite-store.ts'
import { TurnConnection } from './turn-connection.ts'

const options = { signal: new AbortController().signal }

describe('reads of one turn of the event loop', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let file = ''
  let writer: Connection
  beforeEach(async () => {
    folder = await createTemporaryFolder()
    file = `${folder.path}/sepia.db`
    writer = openDatabase(file)
  })
  afterEach(async () => {
    writer[Symbol.dispose]()
    await folder[Symbol.asyncDispose]()
  })
  const write = (id: string) => writer.run('insert into stored_sums (account_id, bytes) values (:id, 0)', { id })
  const count = (reader: Connection) => reader.list('select count(*) from stored_sums', [])?.[0]

  test('see one snapshot, and those of the next turn see later commits', async () => {
    using reader = new TurnConnection(file)
    const version = reader.dataVersion()
    assert.equal(count(reader), 0)
    write('a')
    assert.deepEqual([count(reader), reader.all('select * from stored_sums').length, reader.dataVersion()], [0, 0, version])
    await nextTurn()
    assert.equal(count(reader), 1)
    assert.notEqual(reader.dataVersion(), version)
  })

  test('see new commits as soon as the snapshot is ended', () => {
    using reader = new TurnConnection(file)
    assert.equal(reader.get('select count(*) as count from stored_sums')?.count, 0)
    write('a')
    reader.endMoment()
    reader.endMoment()
    assert.equal(count(reader), 1)
  })

  test('block no writer, and keep nothing open after the connection is closed', async () => {
    const reader = new TurnConnection(file)
    assert.equal(count(reader), 0)
    for (let index = 0; index < 100; index++) write(`a${index}`)
    reader[Symbol.dispose]()
    await nextTurn()
    assert.deepEqual({ ...writer.get('pragma wal_checkpoint(truncate)') }, { busy: 0, log: 0, checkpointed: 0 })
  })

  test('of a damaged page fail alone, without ending the process', async () => {
    for (let index = 0; index < 300; index++) write(`a${index}`)
    writer.get('pragma wal_checkpoint(truncate)')
    writer[Symbol.dispose]()
    const bytes = await readFile(file)
    bytes.fill(0xff, 4096)
    await writeFile(file, bytes)
    using reader = new TurnConnection(file)
    assert.throws(() => count(reader), { code: 'server_is_overloaded', message: /is damaged/ })
    await nextTurn()
    assert.throws(() => count(reader), { code: 'server_is_overloaded', message: /is damaged/ })
    await nextTurn()
    writer = openDatabase(`${folder.path}/other.db`)
  })

  test('continue after one that failed', async () => {
    using reader = new TurnConnection(file)
    assert.throws(() => reader.get('select nothing from nowhere'))
    assert.equal(count(reader), 0)
    await nextTurn()
    assert.equal(count(reader), 0)
  })
})

test('an acknowledged write is found even right after an earlier read', async () => {
  await using folder = await createTemporaryFolder()
  const settings = { file: `${folder.path}/sepia.db`, clock: createTestClock(), limits: { maxPending: 100 }, mode: 'service' } as const
  await using store = await openSqliteStore(settings)
  let reading = true
  const read = async () => {
    // Every turn has begun its moment before it hears of a commit.
    for (; reading; await nextTurn()) await store.log.find('none', 'a', options)
  }
  const readers = read()
  for (let index = 0; index < 50; index++) {
    const { inference } = await store.queue.enqueue(makeSubmission({ accountId: 'a' }), options)
    assert.equal((await store.log.find(inference.id, 'a', options))?.queuePosition, index + 1)
  }
  reading = false
  await readers
})
