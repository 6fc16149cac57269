import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { Connection } from '../connection.ts'
import { openDatabase } from '../open-database.ts'
import { ThreadWriter } from './thread-writer.ts'
import { DirectWriter } from './writer.ts'

const write = (accountId: string) => [
  { sql: 'insert into stored_sums (account_id, bytes) values (:accountId, 0)', parameters: { accountId } },
]

describe('a write that may wait', () => {
  let folder = ''
  let file = ''
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sepia-writer-'))
    file = join(folder, 'sepia.db')
  })
  afterEach(() => rm(folder, { recursive: true }))

  test('shares the commit of the next that may not, and comes before it', async () => {
    await using writer = await ThreadWriter.open(file)
    const order: string[] = []
    const waits = writer.run('execute', write('waits'), 0, { mayWait: true }).then(() => order.push('waits'))
    await writer.run('execute', write('hurries'), 0).then(() => order.push('hurries'))
    await waits
    assert.deepEqual(order, ['waits', 'hurries'])
  })

  test('is written alone if nothing follows', async () => {
    await using writer = await ThreadWriter.open(file)
    assert.deepEqual(await writer.run('execute', write('waits'), 0, { mayWait: true }), [1])
  })

  test('is written before the database is closed', async () => {
    const writer = await ThreadWriter.open(file)
    const waits = writer.run('execute', write('waits'), 0, { mayWait: true })
    await writer[Symbol.asyncDispose]()
    await waits
    using reader = new Connection(file, { readOnly: true })
    assert.equal(reader.get('select count(*) as count from stored_sums')?.count, 1)
  })
})

describe('a database whose file', () => {
  const gone = { code: 'server_is_overloaded', message: /data folder .* was moved or deleted/ }
  const openWriters = {
    thread: (file: string) => ThreadWriter.open(file),
    direct: async (file: string) => new DirectWriter(openDatabase(file)),
  }

  for (const [kind, open] of Object.entries(openWriters)) {
    test(`was deleted takes no more writes (${kind})`, async () => {
      await using folder = await createTemporaryFolder()
      const file = join(folder.path, 'sepia.db')
      await using writer = await open(file)
      assert.deepEqual(await writer.run('execute', write('before'), 0), [1])
      await rm(file)
      await assert.rejects(writer.run('execute', write('after'), 0), gone)
    })

    test(`was moved away takes none either, until it is back (${kind})`, async () => {
      await using folder = await createTemporaryFolder()
      const file = join(folder.path, 'sepia.db')
      await using writer = await open(file)
      await rename(file, `${file}-away`)
      await assert.rejects(writer.run('execute', write('a'), 0), gone)
      await writeFile(file, '')
      await assert.rejects(writer.run('execute', write('a'), 0), gone)
      await rename(`${file}-away`, file)
      assert.deepEqual(await writer.run('execute', write('a'), 0), [1])
    })

    test(`lost its write-ahead log takes no more writes, and what was written before is found again (${kind})`, async () => {
      await using folder = await createTemporaryFolder()
      const file = join(folder.path, 'sepia.db')
      await using writer = await open(file)
      await writer.run('execute', write('before'), 0)
      await rm(`${file}-wal`)
      const refusal = { code: 'server_is_overloaded', message: /write-ahead log .* was deleted .* start the service again/ }
      await assert.rejects(writer.run('execute', write('after'), 0), refusal)
      await assert.rejects(writer.run('execute', write('after'), 0), refusal)
      // As the next process finds it when this one is killed.
      const copy = join(folder.path, 'copy.db')
      await copyFile(file, copy)
      using reader = new Connection(copy, { readOnly: true })
      assert.deepEqual(
        reader.all('select account_id from stored_sums').map(({ account_id: id }) => id),
        ['before'],
      )
    })
  }
})
