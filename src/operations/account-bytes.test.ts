import assert from 'node:assert/strict'
import { it } from 'node:test'
import { claimNext, succeed } from '../../test/conformance/claiming.ts'
import { createMemoryOutputs } from '../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { makeSubmission } from '../../test/support/submission.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { Account } from '../core/account.ts'
import { type DocumentKind, plainDocument } from '../core/document.ts'
import { ServiceError } from '../core/error.ts'
import type { JsonValue } from '../core/json-value.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import type { OutputStore } from '../core/ports/output-store.ts'
import { bodyOwner, checkStoredBytes } from './account-bytes.ts'
import { keepFile, storeBytes } from './files/kept-files.ts'

const options = { signal: new AbortController().signal }
const account: Account = { id: 'a', name: 'A', email: null, role: 'owner', createdAt: 0, disabledAt: null, limits: noLimits }

async function openStore() {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 10 } })
  await store.accounts.create(account, options)
  return { ...store, clock, outputs: createMemoryOutputs({ clock }) }
}

it('finds missing and damaged outputs, and skips expired ones', async () => {
  await using store = await openStore()
  const { outputs, clock } = store
  const ids: string[] = []
  for (const text of ['whole', 'lost', 'damaged']) {
    await store.queue.enqueue(makeSubmission(), options)
    const claim = await claimNext(store.queue)
    const name = { inferenceId: claim.inference.id, attempt: claim.attempt }
    const output = await outputs.put(name, { contentType: 'text/plain', chunks: [Buffer.from(text)] }, options)
    await succeed(store.queue, claim, output)
    if (text === 'lost') await outputs.delete([output.key], options)
    if (text === 'damaged') await outputs.put(name, { contentType: 'text/plain', chunks: [Buffer.from('Damaged')] }, options)
    ids.push(name.inferenceId)
  }
  const [, ...faulty] = ids
  const { damaged, ...counts } = await checkStoredBytes(store, options)
  assert.deepEqual(counts, { outputs: 3, documents: 0 })
  assert.deepEqual(new Set(damaged.map(({ kind, id }) => `${kind} ${id}`)), new Set(faulty.map((id) => `output ${id}`)))
  await clock.advance(25 * 3_600_000)
  assert.deepEqual(await checkStoredBytes(store, options), { outputs: 0, documents: 0, damaged: [] })
})

it('finds missing and damaged files of documents, but not those of thumbnails, which are created again', async () => {
  await using store = await openStore()
  const { outputs } = store
  const deps = { ...store, maxDocumentBytes: 1e9 }
  const upload = async (text: string) => {
    const stored = await storeBytes(
      deps,
      {
        accountId: 'a',
        content: (async function* () {
          yield Buffer.from(text)
        })(),
      },
      options,
    )
    return keepFile(deps, stored, { name: 'a.jsonl', purpose: 'batch', lifetimeMs: null }, options)
  }
  const [, lost, damaged] = [await upload('whole'), await upload('lost'), await upload('damaged')]
  await outputs.delete(
    lost.parts.map(({ key }) => key),
    options,
  )
  const again = { contentType: 'application/octet-stream', chunks: [Buffer.from('DAMAGED')] }
  await outputs.put({ inferenceId: damaged.id.replace('file-', ''), attempt: 1 }, again, options)
  const gone: JsonValue = { key: 'gone', contentType: 'image/png', bytes: 4, sha256: '0' }
  const put = (kind: DocumentKind, accountId: string, value: JsonValue) =>
    store.documents.put({ ...plainDocument, kind, id: `${kind}-of-a`, accountId, value, at: 1 }, { ...options, most: 1e9 })
  await put('picture', 'a', { file: gone })
  await put('thumbnail', 'a', { file: gone })
  await put('request-body', bodyOwner('a'), { file: gone })
  // A small body is stored in its record.
  await store.documents.put(
    { ...plainDocument, kind: 'request-body', id: 'small', accountId: bodyOwner('a'), value: { file: null, sealed: '' }, at: 1 },
    { ...options, most: 1e9 },
  )
  const found = await checkStoredBytes(store, options)
  assert.equal(found.documents, 5)
  assert.deepEqual(
    new Set(found.damaged.map(({ kind, id }) => `${kind} ${id}`)),
    new Set([`file ${lost.id}`, `file ${damaged.id}`, 'picture picture-of-a', 'request-body request-body-of-a']),
  )
})

it('reports its progress, and no output as missing that was deleted meanwhile', async () => {
  await using store = await openStore()
  for (const text of ['kept', 'erased']) {
    await store.queue.enqueue(makeSubmission({ accountId: text === 'kept' ? 'a' : 'b' }), options)
    const claim = await claimNext(store.queue)
    const name = { inferenceId: claim.inference.id, attempt: claim.attempt }
    await succeed(store.queue, claim, await store.outputs.put(name, { contentType: 'text/plain', chunks: [Buffer.from(text)] }, options))
  }
  await store.accounts.create({ ...account, id: 'b' }, options)
  const erase = async () => {
    await store.accounts.erase(['b'], options)
    throw new ServiceError('internal_error', 'The stored output is missing.')
  }
  const outputs: OutputStore = {
    ...store.outputs,
    open: (file, options) => (file.bytes === 'erased'.length ? erase() : store.outputs.open(file, options)),
  }
  const progress: (readonly number[])[] = []
  const onProgress = (done: number, total: number) => void progress.push([done, total])
  const found = await checkStoredBytes({ ...store, outputs }, { ...options, onProgress })
  assert.deepEqual(found, { outputs: 2, documents: 0, damaged: [] })
  assert.deepEqual(progress, [
    [4, 10],
    [10, 10],
  ])
})

it('reports nothing as damaged while the store is unavailable', async () => {
  await using store = await openStore()
  await store.queue.enqueue(makeSubmission(), options)
  await succeed(store.queue, await claimNext(store.queue))
  const away = new ServiceError('server_is_overloaded', 'The store of outputs did not respond in time; try again later.')
  const outputs = { ...store.outputs, open: () => Promise.reject(away) }
  await assert.rejects(checkStoredBytes({ ...store, outputs }, options), away)
})
