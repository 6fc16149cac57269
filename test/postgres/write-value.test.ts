import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Database } from '../../src/storage/postgres/database.ts'
import { createDatabase } from '../support/postgres/postgres-databases.ts'
import { withoutPostgres } from '../support/postgres/postgres-server.ts'

const texts = ['', ' ', 'null', 'NULL', '"', '\\', '\\"', 'a,b', '{}', "'", '\n\t\r', 'ünï', '😀', '$1', '\\x00', null]

suite('parameters of PostgreSQL', { skip: withoutPostgres }, () => {
  test('arrays arrive unchanged', async () => {
    await using database = new Database(await createDatabase())
    const numbers = [0, -1, 2 ** 53 - 1, null]
    const row = await database.get('select :texts::text[] as texts, :numbers::bigint[] as numbers, :empty::text[] as empty', {
      texts,
      numbers,
      empty: [],
    })
    assert.deepEqual(row?.texts, texts)
    assert.deepEqual(
      row?.numbers,
      numbers.map((each) => (each === null ? null : String(each))),
    )
    assert.deepEqual(row?.empty, [])
  })

  test('bytes in an array arrive unchanged, and NUL in a text becomes the replacement character', async () => {
    await using database = new Database(await createDatabase())
    const bytes = [Buffer.from([0, 1, 34, 92, 255]), Buffer.alloc(0)]
    const row = await database.get('select :bytes::bytea[] as bytes, :texts::text[] as texts', { bytes, texts: ['a\0b', '"\0\\'] })
    assert.deepEqual(row?.bytes, bytes)
    assert.deepEqual(row?.texts, ['a\uFFFDb', '"\uFFFD\\'])
  })
})
