import { openSqliteStore } from '../../src/storage/sqlite/open-sqlite-store.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'
import { testStore } from './store.ts'

testStore('sqlite', async (settings) => {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const store = stack.use(await openSqliteStore({ ...settings, file: `${folder.path}/sepia.db`, mode: 'service' }))
  const owned = stack.move()
  return { ...store, [Symbol.asyncDispose]: () => owned.disposeAsync() }
})
