import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { finishDrawing, finishInference } from '../../../test/support/finished-inference.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import type { GalleryPicture } from '../contract/gallery.ts'

const dayMs = 24 * 60 * 60 * 1000
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)

async function openGallery() {
  const service = await startConsoleService()
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const gallery = async (after?: string): Promise<{ pictures: readonly GalleryPicture[]; next: string | null }> =>
    (await service.send('GET', `/console/api/gallery${after === undefined ? '' : `?after=${after}`}`, { cookie })).json()
  return { ...service, cookie, gallery }
}

async function finishChat(service: Parameters<typeof finishInference>[0], accountId: string): Promise<string> {
  const usage = { promptTokens: 1, completionTokens: 1, cachedTokens: 0 }
  const result = { choices: [{ text: 'Hello', thoughts: '', toolCalls: [], logprobs: [], reason: 'stop' as const }], usage }
  return finishInference(service, accountId, { work: { kind: 'chat', request: makeTextRequest('Hi') }, result: { kind: 'chat', result } })
}

describe('the gallery', () => {
  test('shows the user’s own images, newest request first, in the order of their seeds', async () => {
    const { gallery, ownerId, clock, ...service } = await openGallery()
    const first = await finishDrawing({ clock, ...service }, ownerId, [png])
    await clock.advance(1000)
    const second = await finishDrawing({ clock, ...service }, ownerId, [png, png])
    const { pictures, next } = await gallery()
    assert.deepEqual(
      pictures.map(({ inferenceId, index, seed }) => [inferenceId, index, seed]),
      [
        [second, 0, 0],
        [second, 1, 1],
        [first, 0, 0],
      ],
    )
    assert.equal(pictures[0]?.expiresAt, clock.now() + dayMs)
    assert.equal(next, null)
  })

  test('leaves out images removed for safety, images of others, text, and expired images', async () => {
    const { gallery, ownerId, clock, ...service } = await openGallery()
    const old = await finishDrawing({ clock, ...service }, ownerId, [png])
    assert.deepEqual(
      (await gallery()).pictures.map(({ inferenceId }) => inferenceId),
      [old],
    )
    await clock.advance(dayMs)
    await finishDrawing({ clock, ...service }, 'somebody-else', [png])
    await finishChat({ clock, ...service }, ownerId)
    const kept = await finishDrawing({ clock, ...service }, ownerId, [null, png])
    assert.deepEqual(
      (await gallery()).pictures.map(({ inferenceId, index }) => [inferenceId, index]),
      [[kept, 1]],
    )
  })

  test('returns every image once, page by page to the oldest', async () => {
    const { gallery, ownerId, clock, ...service } = await openGallery()
    const drawn: string[] = []
    for (let at = 0; at < 30; at++) {
      drawn.unshift(await finishDrawing({ clock, ...service }, ownerId, [png]))
      await clock.advance(1)
    }
    const seen: string[] = []
    let pages = 0
    for (let after: string | null | undefined; after !== null; pages++) {
      const page = await gallery(after)
      seen.push(...page.pictures.map(({ inferenceId }) => inferenceId))
      after = page.next
    }
    assert.deepEqual(seen, drawn)
    assert.equal(pages, 2)
  })
})
