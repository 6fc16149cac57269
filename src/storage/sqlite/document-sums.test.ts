import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { writeEarlierDatabase } from '../../../test/support/sqlite/earlier-database.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { Connection } from './connection.ts'
import { openSqliteStore } from './open-sqlite-store.ts'
import { documentSums } from './schema/document-sums.ts'

const options = { signal: new AbortController().signal }

const open = (file: string) => openSqliteStore({ file, clock: createTestClock(), limits: { maxPending: 1 }, mode: 'service' })

/** What the kept sums differ in from what is there. */
function differences(file: string): readonly unknown[] {
  using connection = new Connection(file, { readOnly: true })
  return connection.all(
    `select * from (select account_id, kind, sum(count) as count, sum(bytes) as bytes from (
         select account_id, kind, count, bytes from document_sums
         union all select account_id, kind, -count(*), -sum(bytes) from documents group by account_id, kind)
       group by account_id, kind) where count <> 0 or bytes <> 0`,
    {},
  )
}

test('a database from before the sums were kept has them when it is opened', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  writeEarlierDatabase(file, documentSums, (connection) => {
    const sql = `insert into documents (kind, id, account_id, value, at, text, attached_bytes, expires_at, version, bytes)
      values (:kind, :id, :accountId, 'null', 1, '', 0, :expiresAt, 1, :bytes)`
    for (const [index, accountId] of ['a', 'a', 'b', 'a'].entries())
      connection.run(sql, {
        kind: index === 3 ? 'file' : 'asset',
        id: `d${index}`,
        accountId,
        bytes: 10 + index,
        expiresAt: index === 1 ? 5 : null,
      })
  })
  await using store = await open(file)
  assert.deepEqual(differences(file), [])
  assert.deepEqual(await store.documents.sum({ accountId: 'a', kind: null }, options), { count: 2, bytes: 23 })
  assert.deepEqual(await store.documents.sum({ accountId: 'a', kind: 'asset' }, options), { count: 1, bytes: 10 })
})

test('the sums are those of the documents when the process was killed while it wrote', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  const writer = `
    const { openSqliteStore } = await import(${JSON.stringify(new URL('open-sqlite-store.ts', import.meta.url).href)})
    const clock = { now: () => 1, wait: () => new Promise(() => {}) }
    const store = await openSqliteStore({ file: ${JSON.stringify(file)}, clock, limits: { maxPending: 1 }, mode: 'service' })
    const { signal } = new AbortController()
    for (let round = 0; ; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => {
        const key = { kind: 'conversation', id: 'd' + ((round + index) % 20), accountId: 'a' + ((round + index) % 2) }
        if ((round * 8 + index) % 5 === 0) return store.documents.remove(key, { signal })
        const document = { ...key, value: 'x'.repeat(round % 50), at: 1, label: null, text: '', attachedBytes: round, expiresAt: null }
        return store.documents.put(document, { signal, most: 1e9 })
      }))
      console.log('round')
    }`
  await writeFile(`${folder.path}/writer.mjs`, writer)
  const child = spawn(process.execPath, [`${folder.path}/writer.mjs`], { stdio: ['ignore', 'pipe', 'inherit'] })
  let rounds = 0
  for await (const _ of createInterface({ input: child.stdout })) if (++rounds === 40) break
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
  assert.equal(rounds, 40)
  await (await open(file))[Symbol.asyncDispose]()
  assert.deepEqual(differences(file), [])
})
