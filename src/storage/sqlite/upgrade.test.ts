import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { claimNext, leaseMs, tryClaim } from '../../../test/conformance/claiming.ts'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { makeUsageEntry } from '../../../test/support/memory/usage-entry.ts'
import { writeEarlierDatabase } from '../../../test/support/sqlite/earlier-database.ts'
import { makeSubmission } from '../../../test/support/submission.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import { Connection } from './connection.ts'
import { openSqliteStore } from './open-sqlite-store.ts'
import { requestErrors, usageWork } from './schema/request-tables.ts'

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
  return { ...store, file, clock, [Symbol.asyncDispose]: () => owned.disposeAsync() }
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

    using connection = new Connection(store.file, { readOnly: true })
    const expected = connection.get(
      `select sum(coalesce((select length(body) from inference_work where seq = inferences.seq), 0)) + sum(coalesce(output_bytes, 0)) as bytes
       from inferences where account_id = 'a'`,
    )
    assert.deepEqual(connection.get("select bytes from stored_sums where account_id = 'a'"), expected)
  })

for (const version of [2])
  test(`work that waits in a database of schema ${version} runs as it was submitted, no attempt burned`, async () => {
    await using store = await openEarlier(version)
    const rooms = ['fake-image', 'fake-chat'].map((model) => ({ model, room: 2 }))
    const claims = await store.queue.claim({ workerId: 'w', rooms, limit: 10, leaseMs }, options)
    const sampling = { ...makeTextRequest('').sampling, logitBias: new Map([[50256, -100]]), seed: 7 }
    const initial = { image: Uint8Array.of(0, 255, 128), strength: 0.5 }
    const request = makeImageRequest('ünïcode 🐯', { initial, seeds: [1, 4294967295] })
    const found = await Promise.all(claims.map(async (claim) => ({ attempt: claim.attempt, work: (await claim.load(options)).work })))
    assert.deepEqual(
      found.toSorted((a, b) => b.attempt - a.attempt || (a.work.kind < b.work.kind ? 1 : -1)).map(({ attempt, work }) => [attempt, work]),
      [
        [3, { kind: 'image', request: makeImageRequest('a tiger') }],
        [1, { kind: 'image', request }],
        [1, { kind: 'chat', request: makeTextRequest('hello', { sampling }) }],
      ],
    )
  })

test('usage of a database from before entries named their work still counts, and later entries count once', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  const insert = `insert into usage_entries (day, account_id, model, failures, prompt_tokens, completion_tokens, images)
    values ('1970-01-01', 'a', 'm', 0, 1, 1, 0)`
  writeEarlierDatabase(file, usageWork, (connection) => connection.script(`${insert}; ${insert}`))
  await using store = await openSqliteStore({ file, clock: createTestClock(), limits: { maxPending: 100 }, mode: 'service' })
  for (let round = 0; round < 2; round++) await store.usage.append(makeUsageEntry(), { ...options, id: 'work' })
  const [day] = await store.usage.summarize({ accountId: 'a', from: '1970-01-01', to: '1970-01-01' }, options)
  assert.equal(day?.requests, 3)
})

test('requests of a database from before their errors were kept have none, and later ones do', async () => {
  await using folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  const insert = "insert into request_records (id, account_id, kind, model, at, outcome) values ('before', 'a', 'chat', 'm', 1, 'failed')"
  writeEarlierDatabase(file, requestErrors, (connection) => connection.script(insert))
  await using store = await openSqliteStore({ file, clock: createTestClock(), limits: { maxPending: 100 }, mode: 'service' })
  const query = { accountId: 'a', search: null, kind: null, deferred: null, ids: null, before: null, limit: 10 }
  const [earlier] = await store.requests.list(query, options)
  assert.ok(earlier?.result)
  assert.deepEqual([earlier.result.outcome, earlier.result.error], ['failed', null])
  const error = { code: 'inference_failed', message: 'It failed.', param: null } as const
  await store.requests.append([{ ...earlier, result: { ...earlier.result, error } }], options)
  assert.deepEqual((await store.requests.list(query, options))[0]?.result?.error, error)
})

test('work in the format of a later version stays in the queue and costs no attempt', async () => {
  await using store = await openEarlier(2)
  using connection = new Connection(store.file)
  connection.run("update inferences set work_format = 4 where status = 'pending'")
  assert.equal(await tryClaim(store.queue), null)
  await store.queue.enqueue(makeSubmission(), options)
  assert.equal((await claimNext(store.queue)).attempt, 1)
  assert.equal(await tryClaim(store.queue), null)
})

test('damaged work fails at once and delays no other', async () => {
  await using store = await openEarlier(2)
  using connection = new Connection(store.file)
  connection.run("update inference_work set body = x'0301' where seq = (select min(seq) from inferences where status = 'pending')")
  const { inferences } = await store.log.list({ accountId: 'a', status: 'pending', limit: 10, after: null }, options)
  const id = inferences.at(-1)?.id ?? ''
  const rooms = [
    { model: 'fake-image', room: 2 },
    { model: 'fake-chat', room: 2 },
  ]
  assert.equal((await store.queue.claim({ workerId: 'w', rooms, limit: 10, leaseMs }, options)).length, 2)
  const found = await store.log.find(id, 'a', options)
  assert.deepEqual([found?.outcome, found?.error?.code], ['failed', 'internal_error'])
})
