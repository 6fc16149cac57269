import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { esrganFile } from '../support/model-files/esrgan-file.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const size = { width: 64, height: 64 }
const drawing = { prompt: 'a red apple', steps: 3, cfg_scale: 5, seed: 7, sampler_name: 'Euler', ...size }

suite("model files over A1111's routes", () => {
  const stack = new AsyncDisposableStack()
  let url = ''
  let token = ''
  before(async () => {
    const data = stack.use(await createTemporaryFolder())
    const models = stack.use(await createTemporaryFolder())
    await unpackGoldenCheckpoints(models.path, (path) => /^(?:models\/)?(?:.*\/)?sd15(?:-controlnet)?\.safetensors$/u.test(path))
    await writeFile(
      join(models.path, '4x-tiny.safetensors'),
      esrganFile({ naming: 'old', prefix: '', blocks: 1, doublings: 2, gathered: 1 }),
    )
    const service = stack.use(await startService(data.path, '--models', models.path))
    ;({ url } = service)
    token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
  })
  after(() => stack.disposeAsync())

  const ask = async (path: string, json?: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const response = await fetch(
      `${url}${path}`,
      json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) },
    )
    const answer = JSON.parse(await response.text())
    assert.equal(response.status, 200, JSON.stringify(answer).slice(0, 500))
    return answer
  }
  const colours = async (image: string) => sharp(Buffer.from(image, 'base64')).removeAlpha().raw().toBuffer()
  const farthest = (one: Buffer, other: Buffer) => Math.max(...[...one].map((value, index) => Math.abs(value - (other[index] ?? 255))))
  const hint = async () =>
    (
      await sharp(encodeSolidPng(64, 64, 7))
        .composite([{ input: Buffer.from(encodeSolidPng(32, 32, 1)), left: 8, top: 8 }])
        .png()
        .toBuffer()
    ).toString('base64')

  test('lists the files in the folder', async () => {
    const names = async (list: string, field: string) => (await ask(`/sdapi/v1/${list}`)).map((each: Record<string, string>) => each[field])
    assert.deepEqual(await names('upscalers', 'name'), ['4x-tiny'])
    assert.ok((await names('sd-models', 'title')).includes('sd15'))
  })

  test('a ControlNet draws the same as over /generate/sd', async () => {
    const unit = { model: 'sd15-controlnet [0123abcd]', module: 'canny', image: await hint(), weight: 0.8 }
    const override_settings = { sd_model_checkpoint: 'sd15' }
    const plain = await ask('/sdapi/v1/txt2img', { ...drawing, override_settings })
    const body = { ...drawing, override_settings, alwayson_scripts: { ControlNet: { args: [unit] } } }
    const led = await ask('/sdapi/v1/txt2img', body)
    const { sampler_name: _, ...own } = drawing
    const controlnets = [{ name: 'sd15-controlnet', image: unit.image, conditioning_scale: 0.8, preprocess: true }]
    const ours = await ask('/generate/sd', { ...own, sampler: 'K_EULER', model: 'sd15', image_encoding: 'png', controlnets })
    const [withoutUnit, withUnit, expected] = await Promise.all([plain.images[0], led.images[0], ours.images[0].image_b64].map(colours))
    assert.ok(withoutUnit !== undefined && withUnit !== undefined && expected !== undefined)
    assert.ok(farthest(withUnit, withoutUnit) > 10)
    // Threads add up in another order each time.
    assert.ok(farthest(withUnit, expected) <= 1)
    const again = await ask('/sdapi/v1/img2img', { ...body, init_images: [plain.images[0]], denoising_strength: 0.7 })
    assert.equal(again.images.length, 1)
  })

  test('an upscaler enlarges a picture, also the first of two passes', async () => {
    const { image } = await ask('/sdapi/v1/extra-single-image', { image: await hint(), upscaler_1: '4x-tiny', upscaling_resize: 3 })
    assert.equal((await sharp(Buffer.from(image, 'base64')).metadata()).width, 192)
    const twice = { enable_hr: true, hr_scale: 2, hr_upscaler: '4x-tiny', denoising_strength: 0.5 }
    const { images } = await ask('/sdapi/v1/txt2img', { ...drawing, ...twice, override_settings: { sd_model_checkpoint: 'sd15' } })
    assert.equal((await sharp(Buffer.from(images[0], 'base64')).metadata()).width, 128)
  })

  test('draws an empty prompt', async () => {
    const { images } = await ask('/sdapi/v1/txt2img', { ...drawing, prompt: '', override_settings: { sd_model_checkpoint: 'sd15' } })
    assert.equal(images.length, 1)
  })

  test('an interrupted drawing returns no images, and the next one is drawn', async () => {
    const long = ask('/sdapi/v1/txt2img', {
      ...drawing,
      steps: 200,
      width: 512,
      height: 512,
      override_settings: { sd_model_checkpoint: 'sd15' },
    })
    let isDrawn = false
    const drawn = long.finally(() => {
      isDrawn = true
    })
    while (!isDrawn && (await ask('/sdapi/v1/progress')).state.sampling_step === 0);
    await ask('/sdapi/v1/interrupt', {})
    assert.deepEqual((await drawn).images, [])
    assert.equal((await ask('/sdapi/v1/txt2img', { ...drawing, override_settings: { sd_model_checkpoint: 'sd15' } })).images.length, 1)
  })
})
