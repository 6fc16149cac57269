import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { findKeptPicture, keepPicture, removeKeptPicture } from './kept-pictures.ts'

const options = { signal: new AbortController().signal }

function openPictures() {
  const clock = createTestClock()
  const { documents } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const deps = { documents, outputs, clock, maxDocumentBytes: 10_000 }
  const picture = { accountId: 'a', inferenceId: 'r', index: 0, seed: 1, model: 'm', prompt: 'an otter', contentType: 'image/png' }
  const keep = () => keepPicture(deps, { ...picture, bytes: Uint8Array.of(1, 2, 3) }, options)
  const files = () => Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))
  return { deps, keep, files }
}

test('a picture that is saved again while it is being removed keeps its file', async () => {
  const { deps, keep, files } = openPictures()
  const id = await keep()
  const remove = deps.outputs.delete.bind(deps.outputs)
  const outputs = {
    ...deps.outputs,
    async delete(...given: Parameters<typeof remove>) {
      await keep()
      await remove(...given)
    },
  }
  await removeKeptPicture({ ...deps, outputs }, { accountId: 'a', id }, options)
  const { file } = await findKeptPicture(deps, { accountId: 'a', id }, options)
  assert.deepEqual(
    (await files()).map(({ key }) => key),
    [file.key],
  )
})

test('a picture that is saved twice at once has one file', async () => {
  const { keep, files } = openPictures()
  const [one, other] = await Promise.all([keep(), keep()])
  assert.equal(one, other)
  assert.equal((await files()).length, 1)
})
