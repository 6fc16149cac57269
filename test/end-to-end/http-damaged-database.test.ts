import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { watchStorage } from '../../src/storage/filesystem/watch-data-folder.ts'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { startHttpService } from '../support/http-service.ts'
import { readError } from '../support/read-json.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const signal = new AbortController().signal
const clock = createSystemClock()

const pageBytes = 4096

/** Overwrites the first pages of a table and its indices, which every look into it reads. */
async function damage(file: string, table: string): Promise<void> {
  const roots = (() => {
    using database = new DatabaseSync(file)
    database.exec('pragma wal_checkpoint(truncate)')
    return database.prepare('select rootpage from sqlite_schema where tbl_name = ? and rootpage > 0').all(table)
  })()
  await using handle = await open(file, 'r+')
  for (const { rootpage } of roots) await handle.write(Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (Number(rootpage) - 1) * pageBytes)
}

/** A service over a data folder in which a table is damaged, with a token made before. */
async function startDamaged(table: string) {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await createTemporaryFolder())
  const file = `${folder.path}/sepia.db`
  const settings = { file, clock, limits: { maxPending: 10 }, mode: 'service' } as const
  const { text } = await (async () => {
    await using store = await openSqliteStore(settings)
    const account = await createAccount({ ...store, clock }, { name: 'Eve', role: 'owner' }, { signal })
    return createAccessToken(
      { ...store, clock },
      { accountId: account.id, name: 'eve', expiresAt: null, scopes: ['text', 'image', 'read'] },
      { signal },
    )
  })()
  // The service of the test makes an account and a token of its own as it starts.
  const store = await openSqliteStore(settings)
  const service = undo.use(
    await startHttpService({ clock, open: () => store, overrides: { findStorageFault: await watchStorage(folder.path, store) } }),
  )
  await damage(file, table)
  const owned = undo.move()
  return { service, text, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

suite('a damaged page of the database', () => {
  for (const [table, path, init] of [
    ['access_tokens', '/v1/models', {}],
    ['inferences', '/v1/requests', {}],
    ['inferences', '/generate/sdxl', { json: { prompt: 'a lion' }, headers: { 'x-service-async': '1' } }],
  ] as const)
    test(`of ${table} returns 503 at ${path} and makes the service unready`, async () => {
      await using damaged = await startDamaged(table)
      const { service, text } = damaged
      assert.equal((await service.fetch('/readyz')).status, 200)
      const response = await service.fetch(path, { ...init, token: text })
      const { code, message } = await readError(response)
      assert.deepEqual([response.status, code, response.headers.get('retry-after')], [503, 'server_is_overloaded', '60'])
      assert.match(message, /database of the service is damaged.*`sepia doctor`/)
      const ready = await service.fetch('/readyz')
      assert.equal(ready.status, 503)
      assert.match((await readError(ready)).message, /holds a damaged database/)
      assert.equal((await service.fetch('/healthz')).status, 200)
    })
})
