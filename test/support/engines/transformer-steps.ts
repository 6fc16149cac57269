import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { openCatalog, type RefreshableCatalog } from '../../../src/catalog/refreshable-catalog.ts'
import type { ImageProgress, ImageRequest } from '../../../src/core/image-generation.ts'
import { loadDiffusionModel } from '../../../src/runtimes/diffusion/load-diffusion-model.ts'
import { encodeSolidPng } from '../../../src/runtimes/fake/solid-png.ts'
import { makeImageRequest } from '../image-request.ts'
import { countSessions } from '../model-files/count-sessions.ts'
import { unpackGoldenCheckpoints } from '../model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../temporary-folder.ts'

const { signal } = new AbortController()

type Family = 'flux-dev' | 'z-image-turbo' | 'sd3.5-medium' | 'flux2-klein'

/** Memory for all parts of a model at once, or too little for two, as it is for models of real size. */
const memoryBytes = { together: 64e9, 'in turn': 200e6 }

/** Cancels, previews, references and freed memory of reference models; opening their sessions takes seconds of the processor. */
export function testTransformerSteps(cases: readonly (readonly [family: Family, parts: keyof typeof memoryBytes])[]): void {
  suite('steps of models with a transformer', { timeout: 300_000 }, () => {
    let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
    let catalog: RefreshableCatalog
    before(async () => {
      folder = await createTemporaryFolder()
      await unpackGoldenCheckpoints(folder.path, (path) => cases.some(([family]) => path.startsWith(`${family}/`)), 'transformers')
      catalog = await openCatalog({ folders: [folder.path] })
    })
    after(() => folder[Symbol.asyncDispose]())

    const load = async (family: Family, parts: keyof typeof memoryBytes) => {
      const model = catalog.find(family)
      assert.ok(model?.kind === 'image', catalog.findUnusable(family)?.reason)
      return loadDiffusionModel(model, { threads: 1, memoryBytes: memoryBytes[parts], signal })
    }
    const requestFor = (model: Family, changes: Partial<ImageRequest> = {}) =>
      makeImageRequest('a glossy red apple', { model, steps: 3, guidanceScale: 1, sampler: 'K_EULER', ...changes })

    for (const [family, parts] of cases)
      test(`${family}, its parts ${parts}: a cancel stops before the next step and frees memory, and each step has a preview`, async (context) => {
        const sessions = countSessions(context)
        {
          await using model = await load(family, parts)
          const idle = sessions.open.size
          const reason = new Error('cancelled')
          const controller = new AbortController()
          let steps = 0
          const cancel = () => {
            steps++
            if (steps === 2) controller.abort(reason)
          }
          const drawing = model.generate(requestFor(family, { steps: 40, seeds: [1, 2] }), {
            signal: controller.signal,
            onProgress: cancel,
          })
          await assert.rejects(drawing, reason)
          assert.equal(steps, 2)
          if (parts === 'in turn') assert.ok(sessions.open.size <= Math.max(1, idle), `${sessions.open.size}, ${idle} before`)
          const seen: ImageProgress[] = []
          const onProgress = (progress: ImageProgress) => void seen.push(progress)
          const { images } = await model.generate(requestFor(family, { previews: true }), { signal, onProgress })
          assert.equal(images.length, 1)
          assert.deepEqual(
            seen.map(({ step, total }) => [step, total]),
            [1, 2, 3].map((step) => [step, 3]),
          )
          for (const { preview } of seen) assert.equal((await sharp(preview).metadata()).format, 'jpeg')
        }
        assert.equal(sessions.open.size, 0)
      })

    const editor = cases.map(([family]) => family).find((family) => family === 'flux2-klein')
    if (editor !== undefined)
      test('references are encoded once for all images of a request', async (context) => {
        const sessions = countSessions(context)
        await using model = await load(editor, 'together')
        const references = [encodeSolidPng(64, 64, 1), encodeSolidPng(32, 64, 2)]
        const { images } = await model.generate(requestFor(editor, { references, seeds: [1, 2, 3] }), { signal, onProgress: () => {} })
        assert.equal(images.length, 3)
        assert.equal(sessions.runs(['sample']), 2)
      })
  })
}
