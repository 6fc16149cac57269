import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, suite, test } from 'node:test'
import { StableDiffusionApi } from 'stable-diffusion-api'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface WebUi {
  readonly txt2img: (options: object) => Promise<{ readonly images: readonly string[] }>
  readonly pngInfo: (options: object) => Promise<Readonly<Record<string, unknown>>>
}

// Its modules for `import` name each other without an ending, and its types are not among its exports: neither Node nor tsc finds them.
const webUi: { readonly default: (props: { readonly apiUrl: string }) => WebUi } = createRequire(import.meta.url)('node-sd-webui')

const size = { width: 256, height: 256 }

suite("the built-in image model through A1111's published clients", () => {
  const stack = new AsyncDisposableStack()
  let url = ''
  let client = new StableDiffusionApi()
  before(async () => {
    const folder = stack.use(await createTemporaryFolder())
    const service = stack.use(await startService(folder.path, '--open-on-loopback'))
    assert.match(service.greeting, /need no access token/)
    url = service.url
    const token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
    client = new StableDiffusionApi({ baseUrl: url, timeout: 300_000, defaultStepCount: 4 }).setAuth('ada', token)
  })
  after(() => stack.disposeAsync())

  test('stable-diffusion-api: texts and images become images with their parameters', async () => {
    const drawn = await client.txt2img({ prompt: 'a glossy tiger', negative_prompt: 'pizza', seed: 7, ...size })
    const { width, height, format } = await drawn.image.metadata()
    assert.deepEqual([width, height, format], [256, 256, 'png'])
    assert.deepEqual(Object(JSON.parse(String(drawn.info))).all_seeds, [7])
    const redrawn = await client.img2img({ prompt: 'a pizza', init_images: [drawn.image], denoising_strength: 0.5, ...size })
    assert.equal((await redrawn.image.metadata()).width, 256)
  })

  test('stable-diffusion-api: lists, options and progress', async () => {
    assert.deepEqual(
      (await client.getSdModels()).map(({ title }) => title),
      ['sepia-mini-image'],
    )
    assert.ok((await client.getSamplers()).some(({ name }) => name === 'Euler a'))
    assert.equal(Object(await client.getOptions()).sd_model_checkpoint, 'sepia-mini-image')
    assert.equal((await client.getProgress()).progress, 0)
  })

  test('node-sd-webui, which sends no token: images with their parameters', async () => {
    const options = {
      prompt: 'a pizza',
      negativePrompt: 'tiger',
      seed: 3,
      steps: 4,
      samplingMethod: 'Euler',
      cfgScale: 5,
      batchSize: 1,
      ...size,
    }
    const { images } = await webUi.default({ apiUrl: url }).txt2img(options)
    const read = await webUi.default({ apiUrl: url }).pngInfo({ imageData: images[0] ?? '' })
    assert.deepEqual([read.prompt, read.negativePrompt, read.steps, read.seed, read.width], ['a pizza', 'tiger', 4, 3, 256])
  })
})
