import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { openCatalog, type RefreshableCatalog } from '../../src/catalog/refreshable-catalog.ts'
import type { ImageProgress, ImageRequest } from '../../src/core/image-generation.ts'
import { loadDiffusionModel } from '../../src/runtimes/diffusion/load-diffusion-model.ts'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { countSessions } from '../support/model-files/count-sessions.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const folders = ['flux-dev', 'z-image-turbo', 'sd3.5-medium', 'flux2-klein'] as const
/** Too little to hold two parts, as it is for models of real size. */
const little = 200e6
const lots = 64e9

suite('steps of models with a transformer', { timeout: 300_000 }, () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let catalog: RefreshableCatalog
  before(async () => {
    folder = await createTemporaryFolder()
    await unpackGoldenCheckpoints(folder.path, (path) => folders.some((name) => path.startsWith(`${name}/`)), 'transformers')
    catalog = await openCatalog({ folders: [folder.path] })
  })
  after(() => folder[Symbol.asyncDispose]())

  const describe = (name: string) => {
    const model = catalog.find(name)
    assert.ok(model?.kind === 'image', catalog.findUnusable(name)?.reason)
    return model
  }
  const requestFor = (model: string, changes: Partial<ImageRequest> = {}) =>
    makeImageRequest('a glossy red apple', { model, steps: 3, guidanceScale: 1, sampler: 'K_EULER', ...changes })

  for (const name of folders)
    for (const memoryBytes of [lots, little])
      test(`${name}, ${memoryBytes === little ? 'its parts in turn' : 'its parts together'}: a cancel stops before the next step and frees memory, and each step has a preview`, async (context) => {
        const sessions = countSessions(context)
        {
          await using model = await loadDiffusionModel(describe(name), { threads: 1, memoryBytes, signal })
          const idle = sessions.open.size
          const reason = new Error('cancelled')
          const controller = new AbortController()
          let steps = 0
          const cancel = () => {
            steps++
            if (steps === 2) controller.abort(reason)
          }
          const drawing = model.generate(requestFor(name, { steps: 40, seeds: [1, 2] }), { signal: controller.signal, onProgress: cancel })
          await assert.rejects(drawing, reason)
          assert.equal(steps, 2)
          if (memoryBytes === little) assert.ok(sessions.open.size <= Math.max(1, idle), `${sessions.open.size}, ${idle} before`)
          const seen: ImageProgress[] = []
          const onProgress = (progress: ImageProgress) => void seen.push(progress)
          const { images } = await model.generate(requestFor(name, { previews: true }), { signal, onProgress })
          assert.equal(images.length, 1)
          assert.deepEqual(
            seen.map(({ step, total }) => [step, total]),
            [1, 2, 3].map((step) => [step, 3]),
          )
          for (const { preview } of seen) assert.equal((await sharp(preview).metadata()).format, 'jpeg')
        }
        assert.equal(sessions.open.size, 0)
      })

  test('references are encoded once for all images of a request', async (context) => {
    const sessions = countSessions(context)
    await using model = await loadDiffusionModel(describe('flux2-klein'), { threads: 1, memoryBytes: lots, signal })
    const references = [encodeSolidPng(64, 64, 1), encodeSolidPng(32, 64, 2)]
    const { images } = await model.generate(requestFor('flux2-klein', { references, seeds: [1, 2, 3] }), { signal, onProgress: () => {} })
    assert.equal(images.length, 3)
    assert.equal(sessions.runs(['sample']), 2)
  })
})
