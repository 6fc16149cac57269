import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { openCatalog, type RefreshableCatalog } from '../../src/catalog/refreshable-catalog.ts'
import type { ImageRequest } from '../../src/core/image-generation.ts'
import { planParts } from '../../src/core/memory/image-parts.ts'
import { loadDiffusionModel } from '../../src/runtimes/diffusion/load-diffusion-model.ts'
import { makeImageRequest } from '../support/image-request.ts'
import { countSessions } from '../support/model-files/count-sessions.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const wanted = /unet\/z_image_turbo-Q4_0|text_encoders\/qwen_3_4b|vae\/ae\.|tokenizers\/qwen3|loras\/z-image-kohya/u

suite('a model of several parts with little memory', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let catalog: RefreshableCatalog
  before(async () => {
    folder = await createTemporaryFolder()
    await unpackGoldenCheckpoints(folder.path, (path) => wanted.test(path), 'transformers')
    catalog = await openCatalog({ folders: [folder.path] })
  })
  after(() => folder[Symbol.asyncDispose]())

  const requests: readonly Partial<ImageRequest>[] = [
    {},
    { seeds: [5, 6], guidanceScale: 4, negative: { prompt: 'blur', prompt2: 'blur' } },
    { loras: [{ name: 'z-image-kohya', weight: 1 }] },
  ]

  test('holds one part at a time in memory, and draws the same pictures', async (context) => {
    const model = catalog.find('z_image_turbo-Q4_0')
    assert.ok(model?.kind === 'image')
    const { parts } = model.checkpoint ?? {}
    assert.ok(parts !== undefined && Math.min(parts.texts, parts.transformer, parts.vae) > 0)
    const sum = parts.texts + parts.transformer + parts.vae
    assert.ok(sum <= model.bytes && sum > 0.99 * model.bytes, `${sum}`)
    const little = 200e6
    assert.deepEqual([planParts(model, little).inTurn, planParts(model, 64e9).inTurn], [true, false])
    const draw = async (memoryBytes: number): Promise<readonly string[]> => {
      await using loaded = await loadDiffusionModel(model, { threads: 1, memoryBytes, signal })
      const pictures: string[] = []
      for (const changes of requests) {
        const request = makeImageRequest('a glossy red apple', {
          model: model.id,
          steps: 2,
          guidanceScale: 0,
          sampler: 'K_EULER',
          ...changes,
        })
        const { images } = await loaded.generate(request, { signal, onProgress: () => {}, assets: catalog.listAssets() })
        pictures.push(...images.map(({ bytes }) => Buffer.from(bytes).toString('base64')))
      }
      return pictures
    }
    const together = await draw(64e9)
    const counts = countSessions(context)
    const inTurn = await draw(little)
    assert.deepEqual(inTurn, together)
    assert.equal(new Set(inTurn).size, inTurn.length)
    assert.equal(counts.most, 1)
    assert.ok(counts.opened > 8, String(counts.opened))
  })
})
