import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { finishDrawing, sepiaPng, webpWidth } from '../../../test/support/finished-inference.ts'

const options = { signal: new AbortController().signal }
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47)

async function drawOnce(file: Uint8Array = png) {
  const service = await startConsoleService()
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const id = await finishDrawing(service, service.ownerId, [file, null])
  return { ...service, cookie, id, get: (path: string) => service.send('GET', `/console/api/outputs/${path}`, { cookie }) }
}

describe('a stored output', () => {
  test('lists its images, each a file that only the browser may cache', async () => {
    const { get, id } = await drawOnce()
    assert.deepEqual((await get(`${id}/images`)).json(), {
      images: [
        { seed: 0, removedForSafety: false },
        { seed: 1, removedForSafety: true },
      ],
      computeMs: 120,
    })
    const image = await get(`${id}/images/0`)
    assert.deepEqual([image.statusCode, image.headers['content-type']], [200, 'image/png'])
    assert.deepEqual(Uint8Array.from(image.rawPayload), png)
    assert.equal(image.headers['content-disposition'], 'inline; filename="sepia-0.png"')
    assert.match(String(image.headers['cache-control']), /^private, /)
  })

  test('returns each image scaled down as WebP, in a few widths, created once', async () => {
    const { id, get, store, ownerId } = await drawOnce(sepiaPng)
    // Pictures are never enlarged.
    for (const [requested, shown] of [
      [160, 160],
      [320, 320],
      [160, 160],
      [1024, 400],
    ] as const) {
      const image = await get(`${id}/images/0?width=${requested}`)
      assert.deepEqual([image.statusCode, image.headers['content-type'], webpWidth(image.rawPayload)], [200, 'image/webp', shown])
      assert.match(String(image.headers['cache-control']), /^private, .*immutable/)
    }
    assert.equal((await store.documents.sum({ accountId: ownerId, kind: 'thumbnail' }, options)).count, 3)
    for (const width of ['161', '0', '-160', '160.0', '1e9', '']) {
      const answer = await get(`${id}/images/0?width=${width}`)
      assert.deepEqual([answer.statusCode, answer.json().error.param], [400, 'width'], width)
    }
  })

  test('is downloaded as the JSON of the public interface', async () => {
    const { get, id, send, cookie } = await drawOnce()
    const file = await get(id)
    assert.equal(file.headers['content-disposition'], `attachment; filename="${id}.json"`)
    assert.deepEqual(file.json(), (await send('GET', `/v1/responses/${id}`, { cookie })).json())
  })

  test('returns 404 for an image that is missing, was removed for safety, or has an invalid index', async () => {
    const { get, id } = await drawOnce()
    for (const index of ['1', '2', '-1', 'x', '0.5', '__proto__']) assert.equal((await get(`${id}/images/${index}`)).statusCode, 404, index)
  })

  test('belongs to one account, and expires after a day', async () => {
    const { get, clock, send, cookie, ownerId: _, ...service } = await drawOnce()
    const foreign = await finishDrawing({ clock, ...service }, 'somebody-else', [png])
    for (const path of [foreign, `${foreign}/images`, `${foreign}/images/0`]) assert.equal((await get(path)).statusCode, 404, path)
    await clock.advance(24 * 60 * 60 * 1000)
    for (const path of [service.id, `${service.id}/images`, `${service.id}/images/0`]) assert.equal((await get(path)).statusCode, 410, path)
    assert.equal((await send('GET', `/console/api/outputs/${service.id}`)).statusCode, 401)
  })
})
