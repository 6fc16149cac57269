import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { unpackGoldenCheckpoints } from '../../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import { loadDiffusionModel } from './load-diffusion-model.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
await unpackGoldenCheckpoints(temporary.path, (path) => path === 'sd15.safetensors')
const weights = join(temporary.path, 'sd15.safetensors')
const idle = { signal: new AbortController().signal, onProgress: () => undefined }

const descriptor: ImageModelDescriptor = {
  id: 'sd15',
  name: 'sd15',
  kind: 'image',
  format: 'safetensors',
  folder: weights,
  license: null,
  bytes: 1,
  created: 0,
  native: { width: 64, height: 64 },
  draws: 'requested',
  sizes: { type: 'range', min: 64, max: 1024 },
  defaults: { steps: 4, guidanceScale: 5, sampler: 'DDIM' },
  refiner: null,
  checkpoint: { family: 'sd15', inpainting: false, weights, prediction: null },
}

/** Hashes of the files that a freshly loaded model draws for each of these requests, in turn. */
async function draw(requests: readonly (readonly number[])[]): Promise<readonly (readonly string[])[]> {
  // At this size the middle of the UNet sees one pixel, and the runtime rounds one row and several rows differently.
  await using model = await loadDiffusionModel(descriptor, { threads: 1, signal: idle.signal })
  const drawn: string[][] = []
  for (const seeds of requests) {
    const request = makeImageRequest('a fox', { model: 'sd15', width: 64, height: 64, steps: 3, guidanceScale: 12, seeds })
    const { images } = await model.generate(request, idle)
    drawn.push(images.map(({ bytes }) => createHash('sha256').update(bytes).digest('hex')))
  }
  return drawn
}

test('a seed gives the same file each time, after a restart, and beside other images of its request', async () => {
  const [first, again, beside] = await draw([[1], [1], [1, 2]])
  const [restarted] = await draw([[2, 1]])
  assert.deepEqual(again, first)
  assert.equal(beside?.[0], first?.[0])
  assert.deepEqual(restarted?.toReversed(), beside)
})
