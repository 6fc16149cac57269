import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const wanted = /diffusion_models\/flux-2-klein|text_encoders\/qwen_3_4b|vae\/flux2-vae\.|tokenizers\/qwen3/u
const model = 'flux-2-klein'
const side = 64
const drawn = { model, prompt: 'a glossy red apple', width: side, height: side, steps: 2, seed: 5, image_encoding: 'png' }
const picture = Buffer.from(encodeSolidPng(side, side, 0x3060c0)).toString('base64')

suite('an image model that fits into memory only part by part', { timeout: 300_000 }, () => {
  test('draws the same picture as with more memory', async () => {
    await using folder = await createTemporaryFolder()
    const models = join(folder.path, 'models')
    await unpackGoldenCheckpoints(models, (path) => wanted.test(path), 'transformers')
    const draw = async (memory: string): Promise<readonly string[]> => {
      await using service = await startService(
        join(folder.path, memory),
        '--models',
        models,
        '--built-in-models',
        'off',
        '--memory',
        memory,
      )
      const token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
      const pictures: string[] = []
      for (const fields of [{}, { init_image: picture, strength: 0.6 }]) {
        const answer = await fetch(`${service.url}/generate/image`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...drawn, ...fields }),
        })
        const text = await answer.text()
        assert.equal(answer.status, 200, text)
        pictures.push(...JSON.parse(text).images.map(({ image_b64: bytes }: { image_b64: string }) => bytes))
      }
      return pictures
    }
    const [little, much] = [await draw('256mb'), await draw('8gb')]
    assert.equal(little.length, 2)
    assert.deepEqual(little, much)
  })
})
