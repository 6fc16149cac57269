import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { openSqliteStore } from './open-sqlite-store.ts'

const options = { signal: new AbortController().signal }

/** Opens a database that an earlier version wrote. */
async function openEarlier(version: number) {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await createTemporaryFolder())
  const file = `${folder.path}/sepia.db`
  const packed = await readFile(new URL(`../../../test/fixtures/data-folders/schema-${version}.db.gz`, import.meta.url))
  await writeFile(file, gunzipSync(packed))
  const clock = createTestClock()
  const store = stack.use(await openSqliteStore({ file, clock, limits: { maxPending: 100 }, mode: 'service' }))
  const owned = stack.move()
  return { ...store, clock, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

for (const version of [2])
  test(`a database of schema ${version} keeps its accounts, tokens, usage and inferences`, async () => {
    await using store = await openEarlier(version)
    assert.equal((await store.accounts.find('a', options))?.name, 'Ada')
    assert.equal((await store.tokens.findByHash('ab', options))?.hint, 'wxyz')
    const [day] = await store.usage.summarize({ accountId: 'a', from: '2026-01-01', to: '2026-01-01' }, options)
    assert.deepEqual([day?.requests, day?.completionTokens], [1, 4])
    const { inferences } = await store.log.list({ accountId: 'a', status: null, limit: 10, after: null }, options)
    assert.deepEqual(
      inferences.map(({ kind, outcome }) => [kind, outcome]),
      [
        ['chat', null],
        ['image', null],
        ['image', null],
        ['image', 'cancelled'],
        ['image', 'succeeded'],
      ],
    )
    const { id, output } = inferences[4] ?? {}
    assert.deepEqual([output?.key, output?.bytes], [`${id}.1`, 3])
    assert.equal((await store.webhooks.list('a', options))[0]?.inferenceId, id)
  })
