import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { findFile } from '../files/file-documents.ts'
import { keepFile, storeBytes } from '../files/kept-files.ts'
import { createBatch } from './batches.ts'

const options = { signal: new AbortController().signal }
const hourMs = 60 * 60 * 1000

test('the input of a batch does not expire before the batch has ended', async () => {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const deps = { documents, outputs: createMemoryOutputs({ clock }), clock, maxDocumentBytes: 1e9 }
  const make = async (lifetimeMs: number | null) => {
    const content = (async function* () {
      yield Buffer.from('{}')
    })()
    const stored = await storeBytes(deps, { accountId: 'ada', content }, options)
    const { id } = await keepFile(deps, stored, { name: 'in.jsonl', purpose: 'batch', lifetimeMs }, options)
    const wanted = { accountId: 'ada', tokenId: undefined, endpoint: '/v1/embeddings', metadata: {}, filesLifetimeMs: hourMs } as const
    const batches = await Promise.all([1, 2].map(() => createBatch(deps, { ...wanted, inputFileId: id }, options)))
    return { id, endsAt: batches[0]?.expiresAt ?? 0 }
  }
  const short = await make(hourMs)
  const [long, unlimited] = [await make(100 * hourMs), await make(null)]
  const expiryOf = async (id: string) => (await findFile(deps, { accountId: 'ada', id }, options)).expiresAt
  assert.deepEqual(await Promise.all([long, unlimited].map(({ id }) => expiryOf(id))), [clock.now() + 100 * hourMs, null])
  await clock.advance(short.endsAt - clock.now())
  assert.deepEqual(await documents.takeExpired(9, options), [])
  assert.equal(await expiryOf(short.id), clock.now() + hourMs)
  await clock.advance(hourMs)
  assert.deepEqual(
    (await documents.takeExpired(9, options)).map(({ id }) => id),
    [short.id],
  )
})
