import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { Connection } from '../connection.ts'
import { ThreadWriter } from './thread-writer.ts'

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

  test('is written by itself when nothing follows', async () => {
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
