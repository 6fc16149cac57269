import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { EnlargementRequest } from '../../src/core/image-generation.ts'
import type { ImageModelDescriptor } from '../../src/core/model.ts'
import { createFakeCatalog, describeFakeImage } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { startHttpService } from '../support/http-service.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { readError, readJson } from '../support/read-json.ts'
import { makeSubmission } from '../support/submission.ts'

const upscaler = (id: string): ImageModelDescriptor =>
  describeFakeImage({ id, format: 'upscaler', upscaler: { weights: '/fake/weights', scale: 4 } })

/** The head of a PNG of a size, which is all that the tests' inspection reads. */
function png(width: number, height: number): string {
  const head = Buffer.alloc(24)
  head.write('\u0089PNG', 0, 'latin1')
  head.writeUInt32BE(width, 16)
  head.writeUInt32BE(height, 20)
  return head.toString('base64')
}

async function start(...ids: readonly string[]) {
  const requested: EnlargementRequest[] = []
  const model = {
    generate: () => Promise.reject(new Error('An upscaler draws nothing')),
    enlarge: async (request: EnlargementRequest) => {
      requested.push(request)
      const { width, height, encoding } = request
      const image = { bytes: new Uint8Array([1, 2, 3]), encoding, width, height, seed: 0, removedForSafety: false, safetyScore: null }
      return { images: [image], computeMs: 5 }
    },
  }
  const catalog = createFakeCatalog([describeFakeImage(), ...ids.map(upscaler)])
  const pool = createFixedModelPool({ image: Object.fromEntries(ids.map((id) => [id, model])) })
  const service = await startHttpService({ catalog, pool, worker: true })
  const enlarge = (body: object, headers: Record<string, string> = {}) =>
    service.fetch('/upscaling', { json: { init_image: png(40, 20), ...body }, headers })
  return { service, requested, enlarge, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

suite('POST /upscaling', () => {
  test('returns the original shape, in the size of the upscaler unless a size is requested', async () => {
    await using it = await start('4x')
    const answer = await it.enlarge({})
    assert.equal(answer.status, 200)
    assert.deepEqual(await readJson(answer), {
      image_b64: 'AQID',
      removed_for_safety: false,
      prediction_time_ms: 5,
      model: '4x',
      width: 160,
      height: 80,
    })
    await it.enlarge({ scale: 1.5, output_image_encoding: 'png' })
    await it.enlarge({ output_image_width: 64, output_image_height: 64 })
    const reported = it.requested.map(({ width, height, encoding }) => [width, height, encoding])
    assert.deepEqual(reported, [
      [160, 80, 'jpeg'],
      [60, 30, 'png'],
      [64, 64, 'jpeg'],
    ])
    const bytes = await it.enlarge({}, { accept: 'image/png' })
    assert.equal(bytes.headers.get('content-type'), 'image/png')
  })

  test('returns at once in asynchronous mode, and stores the same answer', async () => {
    await using it = await start('4x')
    const submitted = await it.enlarge({}, { 'x-service-async': '1' })
    assert.equal(submitted.status, 202)
    const id = String((await readJson(submitted)).response_id)
    const polled = await it.service.fetch(`/v1/requests/${id}?wait=10`)
    assert.equal((await readJson(polled)).status, 'completed')
    const stored = await readJson(await it.service.fetch(`/v1/responses/${id}`))
    assert.deepEqual([stored.image_b64, stored.width], ['AQID', 160])
  })

  test('runs work that version 0.1 queued', async () => {
    await using it = await start('4x')
    const { accountId, store } = it.service
    const initial = { image: Uint8Array.of(1), strength: 1 }
    const request = { ...makeImageRequest('', { model: '4x', width: 80, height: 40, encoding: 'jpeg', initial }), enlarges: true }
    const submission = makeSubmission({ accountId, work: { kind: 'image', request } })
    const { inference } = await store.queue.enqueue(submission, { signal: new AbortController().signal })
    const polled = await it.service.fetch(`/v1/requests/${inference.id}?wait=10`)
    assert.equal((await readJson(polled)).status, 'completed')
    const stored = await readJson(await it.service.fetch(`/v1/responses/${inference.id}`))
    assert.deepEqual([stored.image_b64, stored.width, stored.model], ['AQID', 80, '4x'])
    assert.deepEqual(it.requested, [{ model: '4x', image: initial.image, width: 80, height: 40, encoding: 'jpeg' }])
  })

  test('rejects invalid requests, each with its field', async () => {
    await using it = await start('4x', '2x')
    const cases: readonly (readonly [object, number, string, RegExp])[] = [
      [{}, 422, 'model', /one of the upscalers: 4x, 2x/],
      [{ model: 'fake-image' }, 404, 'model', /must be an installed upscaler/],
      [{ model: '4x', scale: 9 }, 422, 'scale', /8/],
      [{ model: '4x', output_image_width: 64 }, 422, 'output_image_height', /is needed/],
      [{ model: '4x', scale: 2, output_image_width: 64, output_image_height: 64 }, 422, 'scale', /left out/],
      [{ model: '4x', init_image: png(4000, 4000) }, 422, 'output_image_width', /image-pixels/],
      [{ model: '4x', init_image: png(4000, 4000), scale: 1 }, 422, 'init_image', /must be smaller/],
      [{ model: '4x', init_image: 'AAAA' }, 422, 'init_image', /cannot be used/],
      [{ model: '4x', prompt: 'x' }, 422, 'prompt', /prompt/],
    ]
    for (const [body, status, param, message] of cases) {
      const answer = await it.enlarge(body)
      const error = await readError(answer)
      assert.deepEqual([answer.status, error.param], [status, param], error.message)
      assert.match(error.message, message)
    }
    await using none = await start()
    assert.equal((await none.enlarge({})).status, 404)
  })

  test('an upscaler cannot be used for drawing', async () => {
    await using it = await start('4x')
    const answer = await it.service.fetch('/generate/sdxl', { json: { prompt: 'a tiger', model: '4x' } })
    assert.equal(answer.status, 422)
    const { data } = await readJson(await it.service.fetch('/v1/models'))
    assert.match(JSON.stringify(data), /"id":"4x".*"capabilities":\["upscaling"\]/)
  })
})
