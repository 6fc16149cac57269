import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { keepFile, storeBytes } from '../operations/files/kept-files.ts'
import { expireDocuments, removeOrphanOutputs } from './maintenance.ts'

const options = { signal: new AbortController().signal }
const hour = 60 * 60 * 1000

test('bytes stay as long as their file, and without one they are orphans', async () => {
  const clock = createTestClock()
  await using store = await createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const deps = { ...store, outputs, clock, maxDocumentBytes: 1000 }
  const content = async function* () {
    yield Buffer.from('abc')
  }
  const left = async () =>
    (await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))).map(({ inferenceId }) => inferenceId).length
  const kept = await storeBytes(deps, { accountId: 'ada', content: content() }, options)
  await keepFile(deps, kept, { name: 'a', purpose: 'batch', lifetimeMs: 3 * hour }, options)
  await storeBytes(deps, { accountId: 'ada', content: content() }, options)
  assert.equal(await left(), 2)
  await clock.advance(2 * hour)
  await removeOrphanOutputs({ ...store, outputs, clock }, options)
  assert.equal(await left(), 1)
  await expireDocuments({ ...store, outputs }, options)
  assert.equal(await left(), 1)
  await clock.advance(2 * hour)
  await expireDocuments({ ...store, outputs }, options)
  assert.equal(await left(), 0)
})
