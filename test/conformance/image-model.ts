import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageProgress } from '../../src/core/image-generation.ts'
import type { ImageModel } from '../../src/core/ports/image-model.ts'
import { makeImageRequest } from '../support/image-request.ts'

const signal = new AbortController().signal

/** The behaviour of every image model: pictures, progress, cancellation. */
export function testImageModel(name: string, open: () => Promise<ImageModel & AsyncDisposable>): void {
  test(`${name} image model: draws one picture per seed, in order, in the requested size and format`, async () => {
    await using model = await open()
    const request = makeImageRequest('a cat', { seeds: [5, 3, 5], width: 64, height: 72, encoding: 'png' })
    const { images, computeMs } = await model.generate(request, { signal, onProgress: () => undefined })
    assert.deepEqual(
      images.map((image) => [image.seed, image.width, image.height, image.encoding]),
      [5, 3, 5].map((seed) => [seed, 64, 72, 'png']),
    )
    assert.deepEqual(images[0]?.bytes, images[2]?.bytes)
    assert.notDeepEqual(images[0]?.bytes, images[1]?.bytes)
    const header = Buffer.from(images[0]?.bytes ?? [])
    assert.deepEqual([header.readUInt32BE(16), header.readUInt32BE(20)], [64, 72])
    assert.ok(computeMs >= 0)
  })

  test(`${name} image model: progress rises to its total over all pictures`, async () => {
    await using model = await open()
    const seen: ImageProgress[] = []
    const request = makeImageRequest('a cat', { seeds: [1, 2], previews: true })
    await model.generate(request, { signal, onProgress: (progress) => seen.push(progress) })
    assert.deepEqual(
      seen.map(({ step, total }) => [step, total]),
      seen.map((_, i) => [i + 1, seen.length]),
    )
    assert.ok(seen.length >= 2)
    for (const { preview } of seen) assert.deepEqual([...(preview?.subarray(0, 2) ?? [])], [0xff, 0xd8])
  })

  test(`${name} image model: an aborted drawing rejects with the reason of the signal`, async () => {
    await using model = await open()
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const request = makeImageRequest('a cat', { steps: 20 })
    const onProgress = (): void => controller.abort(reason)
    await assert.rejects(model.generate(request, { signal: controller.signal, onProgress }), reason)
  })
}
