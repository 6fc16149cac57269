import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { ServiceError } from '../../core/error.ts'
import type { InspectionOptions } from '../../core/images/inspect-image.ts'
import { removeThumbnails, Thumbnails } from './thumbnails.ts'

const options = { signal: new AbortController().signal }

function openThumbnails({ most = 10_000 } = {}) {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const outputs = createMemoryOutputs({ clock })
  const made: string[] = []
  let running = 0
  let together = 0
  const deps = {
    ...store,
    outputs,
    clock,
    maxDocumentBytes: most,
    async inspectImage(bytes: Uint8Array, { thumbnailWidth = 0 }: InspectionOptions) {
      running += 1
      together = Math.max(together, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (bytes[0] === 0) throw new ServiceError('validation_error', 'It cannot be decoded.')
      made.push(`${bytes[0]} at ${thumbnailWidth}`)
      return { format: 'png', width: 8, height: 8, thumbnail: Uint8Array.of(bytes[0] ?? 0, thumbnailWidth % 256) }
    },
  }
  const source = (picture: number) => ({
    accountId: 'a',
    picture: `p.${picture}`,
    expiresAt: null,
    read: async () => Uint8Array.of(picture, 1, 2, 3),
  })
  const files = () => Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))
  return { deps, made, source, files, together: () => together, thumbnails: new Thumbnails(deps) }
}

test('a thumbnail is made once for each width, also for concurrent requests, and is stored', async () => {
  const { thumbnails, source, made, deps } = openThumbnails()
  const answers = await Promise.all([160, 160, 320, 160].map((width) => thumbnails.open(source(7), width as 160 | 320, options)))
  assert.deepEqual(
    answers.map((bytes) => [...bytes]),
    [160, 160, 64, 160].map((last) => [7, last]),
  )
  assert.deepEqual(made, ['7 at 160', '7 at 320'])
  // Another node, or this one after a restart.
  assert.deepEqual([...(await new Thumbnails(deps).open(source(7), 160, options))], [7, 160])
  assert.equal(made.length, 2)
})

test('pictures of one account are made smaller one after the other', async () => {
  const { thumbnails, source, made, together } = openThumbnails()
  await Promise.all(Array.from({ length: 40 }, (_, index) => thumbnails.open(source(index + 1), 160, options)))
  assert.deepEqual([made.length, together()], [40, 1])
})

test('a thumbnail is deleted with its picture', async () => {
  const { thumbnails, source, deps, files } = openThumbnails()
  await thumbnails.open(source(2), 320, options)
  await removeThumbnails(deps, source(2), options)
  assert.deepEqual(await files(), [])
  assert.equal((await deps.documents.sum({ accountId: 'a', kind: null }, options)).count, 0)
})

test('a thumbnail made while its picture was deleted expires', async () => {
  const { thumbnails, source, deps } = openThumbnails()
  const key = { kind: 'thumbnail', accountId: 'a' } as const
  const opened = thumbnails.open(source(3), 160, options)
  await removeThumbnails(deps, source(3), options)
  await opened
  const left = await deps.documents.list({ ...key, order: 'oldest', after: null, limit: 9 }, options)
  assert.deepEqual(
    left.map(({ expiresAt }) => expiresAt),
    [deps.clock.now() + 30 * 86_400_000],
  )
})

test('a thumbnail whose file is missing is made again', async () => {
  const { thumbnails, source, deps, made, files } = openThumbnails()
  await thumbnails.open(source(1), 160, options)
  await deps.outputs.delete(
    (await files()).map(({ key }) => key),
    options,
  )
  for (const _ of [1, 2]) assert.deepEqual([...(await thumbnails.open(source(1), 160, options))], [1, 160])
  assert.equal(made.length, 2)
})

test('a picture that cannot be decoded is returned as it is, and an account over its limit leaves no file behind', async () => {
  const { thumbnails, source, files } = openThumbnails({ most: 10 })
  assert.deepEqual([...(await thumbnails.open(source(0), 160, options))], [0, 1, 2, 3])
  assert.deepEqual([...(await thumbnails.open(source(1), 160, options))], [1, 160])
  assert.deepEqual(await files(), [])
})
