import { DatabaseSync } from 'node:sqlite'
import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { testErasedAccounts } from './erased-accounts.ts'

testErasedAccounts('sqlite', async (settings) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const file = `${folder.path}/sepia.db`
  const store = stack.use(await openSqliteStore({ ...settings, file, mode: 'service' }))
  const owned = stack.move()
  return {
    store,
    async rows() {
      using database = new DatabaseSync(file, { readOnly: true })
      const tables = database.prepare("select name from sqlite_schema where type = 'table' and name <> 'audit_entries'").all()
      return tables
        .flatMap(({ name }) =>
          database
            .prepare(`select * from "${name}"`)
            .all()
            .map((row) => `${name} ${JSON.stringify(row)}`),
        )
        .sort()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
})
