import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { finishDrawing, sepiaPng, webpWidth } from '../../../test/support/finished-inference.ts'
import type { GalleryPage } from '../contract/gallery.ts'

const dayMs = 24 * 60 * 60 * 1000
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)
const options = { signal: new AbortController().signal }

async function openPictures() {
  const service = await startConsoleService()
  const { send, store, clock, ownerId } = service
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const { code } = (await send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })).json()
  const other = await service.join(code, 'bob@example.org')
  const drawn = async (prompt: string, file: Uint8Array = png) => {
    const id = await finishDrawing(service, ownerId, [file])
    const requested = { excerpt: prompt, call: null }
    await store.requests.append(
      [{ id, accountId: ownerId, tokenId: null, kind: 'image', model: 'm', at: clock.now(), requested, result: null }],
      options,
    )
    await clock.advance(1)
    return id
  }
  const list = async (path: string): Promise<GalleryPage> => (await send('GET', `/console/api/${path}`, { cookie })).json()
  const wordsOf = async (path: string) => (await list(path)).pictures.map(({ prompt }) => prompt)
  return { ...service, cookie, other, drawn, list, wordsOf }
}

describe('kept images', () => {
  test('outlive the response as a separate copy', async () => {
    const { send, cookie, drawn, list, clock } = await openPictures()
    const id = await drawn('a tiger')
    const kept = await send('PUT', `/console/api/outputs/${id}/images/0/kept`, { cookie })
    assert.equal(kept.statusCode, 200)
    assert.deepEqual((await send('PUT', `/console/api/outputs/${id}/images/0/kept`, { cookie })).json(), kept.json())
    assert.equal((await list('gallery')).pictures[0]?.kept, kept.json().id)
    await clock.advance(dayMs + 1)
    assert.equal((await send('GET', `/v1/responses/${id}`, { cookie })).statusCode, 410)
    const [picture] = (await list('pictures')).pictures
    assert.deepEqual([picture?.prompt, picture?.expiresAt], ['a tiger', null])
    const file = await send('GET', picture?.address ?? '', { cookie })
    assert.deepEqual([file.headers['content-type'], new Uint8Array(file.rawPayload)], ['image/png', png])
    assert.deepEqual((await list('gallery')).pictures, [])
  })

  test('count against the storage limit of the account until they are deleted', async () => {
    const { send, cookie, drawn, store, ownerId, wordsOf } = await openPictures()
    const { id } = (await send('PUT', `/console/api/outputs/${await drawn('a tiger')}/images/0/kept`, { cookie })).json()
    assert.ok((await store.documents.sum({ accountId: ownerId, kind: 'picture' }, options)).bytes >= png.length)
    assert.equal((await send('DELETE', `/console/api/pictures/${id}`, { cookie })).statusCode, 204)
    assert.deepEqual(await wordsOf('pictures'), [])
    assert.equal((await send('DELETE', `/console/api/pictures/${id}`, { cookie })).statusCode, 404)
    assert.equal((await store.documents.sum({ accountId: ownerId, kind: 'picture' }, options)).bytes, 0)
  })

  test('have thumbnails in lists, and leave no thumbnails behind', async () => {
    const { send, cookie, drawn, list, store, ownerId } = await openPictures()
    await send('PUT', `/console/api/outputs/${await drawn('a tiger', sepiaPng)}/images/0/kept`, { cookie })
    const [picture] = (await list('pictures')).pictures
    const small = await send('GET', `${picture?.address}?width=320`, { cookie })
    assert.deepEqual([small.headers['content-type'], webpWidth(small.rawPayload)], ['image/webp', 320])
    assert.equal((await send('GET', `${picture?.address}?width=300`, { cookie })).statusCode, 400)
    assert.equal((await send('DELETE', `/console/api/pictures/${picture?.kept}`, { cookie })).statusCode, 204)
    assert.equal((await store.documents.sum({ accountId: ownerId, kind: null }, options)).count, 0)
  })

  test('cannot be viewed, kept, hidden or deleted by other users', async () => {
    const { send, cookie, other, drawn } = await openPictures()
    const drawing = await drawn('a tiger')
    const { id } = (await send('PUT', `/console/api/outputs/${drawing}/images/0/kept`, { cookie })).json()
    const requested = [
      ['GET', `pictures/${id}`],
      ['DELETE', `pictures/${id}`],
      ['PUT', `outputs/${drawing}/images/0/kept`],
      ['PUT', `outputs/${drawing}/images/0/hidden`],
    ] as const
    for (const [method, path] of requested) {
      assert.equal((await send(method, `/console/api/${path}`, { cookie: other })).statusCode, 404, path)
      assert.equal((await send(method, `/console/api/${path}`)).statusCode, 401, path)
    }
    assert.equal((await send('GET', `/console/api/pictures/${id}`, { cookie })).statusCode, 200)
    for (const index of ['1', '-1', 'x', '9999'])
      assert.equal((await send('PUT', `/console/api/outputs/${drawing}/images/${index}/kept`, { cookie })).statusCode, 404)
  })

  test('and recent images are found by prompt, page by page', async () => {
    const { send, cookie, drawn, wordsOf } = await openPictures()
    for (const prompt of ['a red apple', 'a Äpfelchen tree', 'a tiger'])
      await send('PUT', `/console/api/outputs/${await drawn(prompt)}/images/0/kept`, { cookie })
    for (const path of ['gallery', 'pictures']) {
      assert.deepEqual(await wordsOf(`${path}?search=APPLE`), ['a red apple'], path)
      assert.deepEqual(await wordsOf(`${path}?search=äpfel`), ['a Äpfelchen tree'], path)
      assert.deepEqual(await wordsOf(`${path}?search=%25`), [], path)
      assert.equal((await wordsOf(path)).length, 3)
    }
    for (const place of ['Infinity', '1e9', '99.5', '-1', '']) assert.deepEqual(await wordsOf(`gallery?search=a&after=${place}`), [], place)
    for (const query of ['after=x', `search=${'x'.repeat(201)}`])
      assert.equal((await send('GET', `/console/api/pictures?${query}`, { cookie })).statusCode, 422)
  })

  test('an image hidden from the gallery can be restored, and stays in its request', async () => {
    const { send, cookie, drawn, wordsOf } = await openPictures()
    const id = await drawn('a tiger')
    assert.equal((await send('PUT', `/console/api/outputs/${id}/images/0/hidden`, { cookie })).statusCode, 204)
    assert.deepEqual(await wordsOf('gallery'), [])
    assert.deepEqual(await wordsOf('pictures'), [])
    assert.equal((await send('GET', `/v1/responses/${id}`, { cookie })).statusCode, 200)
    await send('DELETE', `/console/api/outputs/${id}/images/0/hidden`, { cookie })
    assert.deepEqual(await wordsOf('gallery'), ['a tiger'])
  })
})
