import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeImageRequest } from '../../test/support/image-request.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import type { ServiceError } from '../core/error.ts'
import type { ImageRequest } from '../core/image-generation.ts'
import type { ImageModelDescriptor } from '../core/model.ts'
import { createFakeCatalog, describeFakeImage } from '../runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../runtimes/fake/fake-model-loader.ts'
import { createModelPool } from './model-pool.ts'

const { signal } = new AbortController()
const giga = 1e9
const checkpoint: Partial<ImageModelDescriptor> = {
  format: 'safetensors',
  bytes: 4 * giga,
  draws: 'requested',
  native: { width: 512, height: 512 },
  sizes: { type: 'range', min: 64, max: 1024 },
}

async function draw(
  change: Partial<ImageModelDescriptor>,
  request: Partial<ImageRequest>,
  limits: { memoryBytes: number; gpuMemoryBytes?: number },
) {
  const clock = createTestClock()
  const rest = { idleUnloadMs: null, textSlots: 1, textQueue: 8, imageQueue: 2, waitLimitMs: 60_000 }
  await using pool = createModelPool({
    catalog: createFakeCatalog([describeFakeImage({ ...checkpoint, ...change })]),
    loader: new FakeModelLoader({ clock, slots: 1 }),
    clock,
    limits: { ...rest, ...limits },
    onEvent: () => {},
  })
  await using lease = await pool.acquireImage('fake-image', { signal, account: 'a' })
  const { images } = await lease.model.generate(makeImageRequest('x', { steps: 1, ...request }), { signal, onProgress: () => {} })
  return images.length
}

const second = { first: { width: 1024, height: 1024 }, upscaler: null, steps: 1, strength: 1 }
const largest = { width: 4096, height: 4096, highResolution: second }

test('a second pass that exceeds the memory is refused with the figures, and its model continues', async () => {
  await assert.rejects(draw({}, largest, { memoryBytes: 16 * giga }), (error: ServiceError) => {
    assert.deepEqual([error.code, error.param], ['unsupported', 'hr_scale'])
    assert.match(
      error.message,
      /An image of 4096 × 4096 by fake-image needs about 3\d(\.\d)? GB of memory, but models may use only 16 GB; lower `hr_scale`/,
    )
    return true
  })
  assert.equal(await draw({}, { ...largest, width: 2048, height: 2048 }, { memoryBytes: 16 * giga }), 1)
})

test('a size that is too large in one pass, or for a GPU, is refused too', async () => {
  const size = { width: 1024, height: 1024 }
  await assert.rejects(draw({}, size, { memoryBytes: 5 * giga }), { code: 'unsupported', param: 'width' })
  await assert.rejects(draw({}, size, { memoryBytes: 64 * giga, gpuMemoryBytes: 5 * giga }), {
    code: 'unsupported',
    message: /GPU memory/,
  })
})

test('reference pictures that exceed the memory are refused by their field', async () => {
  const size = { width: 512, height: 512 }
  await assert.rejects(draw({}, { ...size, referencePixels: 4 * 1024 ** 2 }, { memoryBytes: 5 * giga }), {
    code: 'unsupported',
    param: 'reference_images',
    message: /with its reference images needs about .*; send fewer or smaller reference images/,
  })
  assert.equal(await draw({}, { ...size, referencePixels: 64 ** 2 }, { memoryBytes: 6 * giga }), 1)
  const both = { width: 2048, height: 2048, referencePixels: 4 * 1024 ** 2 }
  await assert.rejects(draw({}, both, { memoryBytes: 5 * giga }), { param: 'width' })
})

test("a model's native size is always tried, and a model that draws only at its native size accepts every size", async () => {
  assert.equal(await draw({}, { width: 512, height: 512 }, { memoryBytes: 4.2 * giga }), 1)
  assert.equal(await draw({ draws: 'native' }, { width: 1024, height: 1024 }, { memoryBytes: 4.2 * giga }), 1)
})
