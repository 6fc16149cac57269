import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { findKeptPicture, keepPicture, removeKeptPicture } from '../operations/pictures/kept-pictures.ts'
import { removeOrphanOutputs } from './maintenance-duties.ts'

const options = { signal: new AbortController().signal }

test('a kept picture is nobody’s orphan, and one that was deleted leaves nothing', async () => {
  const clock = createTestClock()
  const { documents, log } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const deps = { documents, outputs, log, clock, mostDocumentBytes: 1000 }
  const facts = { inferenceId: 'i', index: 0, seed: 1, model: 'm', prompt: 'a tiger', contentType: 'image/png', bytes: Uint8Array.of(1, 2) }
  const id = await keepPicture(deps, { accountId: 'a', ...facts }, options)
  await clock.advance(48 * 60 * 60 * 1000)
  await removeOrphanOutputs(deps, options)
  const { file } = await findKeptPicture(deps, { accountId: 'a', id }, options)
  assert.deepEqual(Buffer.concat(await Array.fromAsync(await outputs.open(file, options))), Buffer.of(1, 2))
  await removeKeptPicture(deps, { accountId: 'a', id }, options)
  assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), [])
})

test('a picture that is kept twice at once is one copy', async () => {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const facts = { inferenceId: 'i', index: 0, seed: 1, model: 'm', prompt: '', contentType: 'image/png', bytes: new Uint8Array(9) }
  const deps = { documents, outputs, clock, mostDocumentBytes: 1000 }
  const ids = await Promise.all([0, 1, 2].map(() => keepPicture(deps, { accountId: 'a', ...facts }, options)))
  assert.equal(new Set(ids).size, 1)
  const stored = await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))
  const { file } = await findKeptPicture(deps, { accountId: 'a', id: ids[0] ?? '' }, options)
  assert.deepEqual(
    stored.map(({ key }) => key),
    [file.key],
  )
})

test('a picture that would take more than the account may keep is refused and leaves nothing', async () => {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const facts = { inferenceId: 'i', index: 0, seed: 1, model: 'm', prompt: '', contentType: 'image/png', bytes: new Uint8Array(90) }
  const deps = { documents, outputs, clock, mostDocumentBytes: 100 }
  await assert.rejects(keepPicture(deps, { accountId: 'a', ...facts }, options), { code: 'quota_exceeded' })
  assert.deepEqual(await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options)), [])
})
