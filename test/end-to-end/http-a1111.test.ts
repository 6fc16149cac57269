import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import type { ImageModel } from '../../src/core/ports/image-model.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createFakeCatalog, describeFakeImage } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFakeImageModel } from '../../src/runtimes/fake/fake-image-model.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createTestClock } from '../support/test-clock.ts'

const { signal } = new AbortController()
const picture = (width: number, height: number) => Buffer.from(encodeSolidPng(width, height, 7)).toString('base64')
const upscaler = describeFakeImage({ id: '4x-ultra', format: 'upscaler', upscaler: { weights: '/4x', scale: 4 } })
const catalog = createFakeCatalog([describeFakeImage(), describeFakeImage({ id: 'other-image' }), upscaler])

suite("A1111's interface", () => {
  let service: HttpService
  before(async () => {
    const clock = createTestClock()
    const models = {
      'fake-image': createFakeImageModel({ clock }),
      'other-image': createFakeImageModel({ clock }),
      '4x-ultra': createFakeImageModel({ clock }),
    }
    service = await startHttpService({ clock, catalog, pool: createFixedModelPool({ text: {}, image: models }) })
  })
  after(() => service[Symbol.asyncDispose]())

  const ask = async (path: string, json?: object, init: RequestInit & { token?: string | null } = {}) => {
    const response = await service.fetch(`/sdapi/v1/${path}`, { ...init, ...(json !== undefined && { json }) })
    return { status: response.status, answer: JSON.parse(await response.text()) }
  }
  const draw = async (json: object, path = 'txt2img') => {
    const { status, answer } = await ask(path, json)
    assert.equal(status, 200, JSON.stringify(answer))
    return { images: answer.images.map(sizeOf), parameters: answer.parameters, info: JSON.parse(answer.info) }
  }
  const sizeOf = (image: string) => {
    const bytes = Buffer.from(image, 'base64')
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG')
    return `${bytes.readUInt32BE(16)} × ${bytes.readUInt32BE(20)}`
  }

  test("a prompt becomes images with A1111's defaults", async () => {
    const { images, parameters, info } = await draw({ prompt: 'a fox' })
    assert.deepEqual(images, ['512 × 512'])
    assert.deepEqual([info.steps, info.cfg_scale, info.sampler_name, info.sd_model_name], [50, 7, 'Euler', 'fake-image'])
    assert.deepEqual([parameters.prompt, parameters.steps, parameters.seed, parameters.width], ['a fox', 50, -1, 512])
    assert.ok(Number.isInteger(info.seed) && info.seed === info.all_seeds[0])
  })

  test('an empty prompt is drawn', async () => {
    for (const body of [{}, { prompt: '' }]) assert.equal((await draw({ ...body, steps: 1 })).images.length, 1)
    const answered = await service.fetch('/generate/image', { json: { prompt: '', steps: 1 } })
    assert.equal(answered.status, 200)
    assert.equal((await service.fetch('/generate/sdxl', { json: { prompt: '', steps: 1 } })).status, 422)
  })

  test('seeds count up over batches, and the model is that of the settings', async () => {
    const { images, info } = await draw({
      prompt: 'a fox',
      seed: 5,
      batch_size: 2,
      n_iter: 2,
      width: 128,
      height: 64,
      override_settings: { sd_model_checkpoint: 'other-image.safetensors [0123abcd]' },
    })
    assert.deepEqual(images, Array(4).fill('128 × 64'))
    assert.deepEqual([info.all_seeds, info.sd_model_name, info.batch_size], [[5, 6, 7, 8], 'other-image', 4])
  })

  test("SillyTavern's request is accepted, and its password is not repeated", async () => {
    const { images, parameters } = await draw({
      url: 'http://127.0.0.1:8080',
      auth: 'any:sepia_secret',
      prompt: 'a fox',
      negative_prompt: 'lowres',
      sampler_name: 'DDIM',
      scheduler: 'automatic',
      steps: 20,
      cfg_scale: 7,
      width: 512,
      height: 512,
      restore_faces: false,
      enable_hr: false,
      hr_upscaler: 'Latent',
      hr_scale: 1,
      hr_additional_modules: [],
      denoising_strength: 0.7,
      hr_second_pass_steps: 0,
      override_settings: { CLIP_stop_at_last_layers: 1 },
      override_settings_restore_afterwards: true,
      clip_skip: 1,
      save_images: true,
      send_images: true,
      do_not_save_grid: false,
      do_not_save_samples: false,
    })
    assert.deepEqual([images, parameters.auth, parameters.url], [['512 × 512'], undefined, undefined])
    const { status, answer } = await ask('txt2img', { prompt: 'a fox', enable_hr: true, hr_scale: 1 })
    assert.deepEqual([status, answer.detail], [422, '`hr_scale` must be a number from 1.1 to 4.'])
  })

  test('images can be left out of the answer', async () => {
    assert.deepEqual((await draw({ prompt: 'a fox', send_images: false })).images, [])
  })

  test('an image is redrawn under its mask', async () => {
    const body = { prompt: 'a fox', init_images: [picture(64, 64)], width: 128, height: 128 }
    const { images, parameters, info } = await draw(body, 'img2img')
    assert.deepEqual([images, info.denoising_strength, parameters.init_images], [['128 × 128'], 0.75, null])
    const masked = await draw({ ...body, mask: picture(64, 64), inpainting_fill: 1, include_init_images: true }, 'img2img')
    assert.deepEqual([masked.parameters.mask, masked.parameters.init_images], [picture(64, 64), body.init_images])
    const cropped = await draw({ ...body, width: 128, height: 64, resize_mode: 1 }, 'img2img')
    assert.deepEqual(cropped.images, ['128 × 64'])
  })

  test('an image is enlarged', async () => {
    const { status, answer } = await ask('extra-single-image', { image: picture(32, 16), upscaling_resize: 3, upscaler_1: '4x-ultra' })
    assert.deepEqual([status, sizeOf(answer.image), answer.html_info], [200, '96 × 48', ''])
  })

  test('installed models are listed by name', async () => {
    const names = async (list: string, field = 'name') => (await ask(list)).answer.map((each: Record<string, unknown>) => each[field])
    assert.deepEqual(await names('sd-models', 'title'), ['fake-image', 'other-image'])
    assert.deepEqual(await names('upscalers'), ['4x-ultra'])
    assert.deepEqual(await names('schedulers', 'label'), ['Automatic', 'Uniform', 'Karras'])
    assert.ok((await names('samplers')).includes('DPM++ 2M'))
    assert.deepEqual([await names('loras'), await names('sd-vae', 'model_name')], [[], []])
    assert.deepEqual((await ask('embeddings')).answer, { loaded: {}, skipped: {} })
    assert.ok((await names('prompt-styles')).includes('anime'))
  })

  test('a checkpoint is kept for the account that chose it, and all other options are rejected', async () => {
    const chosen = async (token = service.token) => (await ask('options', undefined, { token })).answer.sd_model_checkpoint
    const drawnBy = async (token: string, body: object = {}) =>
      JSON.parse((await ask('txt2img', { prompt: 'a fox', ...body }, { token })).answer.info).sd_model_name
    const { id: accountId } = await createAccount(
      { ...service.store, clock: createTestClock() },
      { name: 'Grace', role: 'member' },
      { signal },
    )
    const [same, other] = [await service.makeToken(['image']), await service.makeToken(['image'], { accountId })]
    const { answer: options } = await ask('options')
    assert.equal(options.sd_model_checkpoint, 'fake-image')
    assert.deepEqual(await ask('options', options), { status: 200, answer: null })
    for (const change of [
      { sd_model_checkpoint: 'no-such-model' },
      { sd_model_checkpoint: '4x-ultra' },
      { sd_model_checkpoint: 7 },
      { sd_model_checkpoint: 'other-image', CLIP_stop_at_last_layers: 2 },
      { sd_model_checkpoint: 'other-image', img2img_fix_steps: true },
    ]) {
      const { status, answer } = await ask('options', { ...options, ...change })
      assert.equal(status, 422)
      assert.match(answer.detail, new RegExp(`\`${Object.keys(change).at(-1)}\``))
    }
    assert.equal(await chosen(), 'fake-image')

    assert.deepEqual(await ask('options', { ...options, sd_model_checkpoint: 'other-image.safetensors [0123abcd]' }), {
      status: 200,
      answer: null,
    })
    assert.deepEqual([await chosen(), await chosen(same), await chosen(other)], ['other-image', 'other-image', 'fake-image'])
    assert.deepEqual([await drawnBy(same), await drawnBy(other)], ['other-image', 'fake-image'])
    assert.equal(await drawnBy(same, { override_settings: { sd_model_checkpoint: 'fake-image' } }), 'fake-image')
    const again = await draw({ prompt: 'a fox', init_images: [picture(64, 64)], width: 64, height: 64 }, 'img2img')
    assert.equal(again.info.sd_model_name, 'other-image')

    const key = { kind: 'image-default', id: service.accountId, accountId: service.accountId } as const
    const rest = { at: 0, label: null, text: '', attachedBytes: 0, expiresAt: null }
    await service.store.documents.put({ ...key, ...rest, value: 'removed-since' }, { signal, most: 1e6 })
    assert.deepEqual([await chosen(), await drawnBy(same)], ['fake-image', 'fake-image'])
  })

  test('the token can be a bearer token or a password with any name', async () => {
    const basic = (text: string) => ({ token: null, headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` } })
    assert.equal((await ask('samplers', undefined, basic(`ada:${service.token}`))).status, 200)
    assert.equal((await ask('samplers', undefined, basic(`:${service.token}`))).status, 200)
    for (const init of [basic('ada:wrong'), basic(service.token), { token: null }, { token: null, headers: { authorization: 'Basic ' } }]) {
      const { status, answer } = await ask('samplers', undefined, init)
      assert.deepEqual([status, typeof answer.detail], [401, 'string'])
    }
    const elsewhere = await service.fetch('/v1/models', basic(`ada:${service.token}`))
    assert.equal(elsewhere.status, 401)
  })

  for (const [name, path, body, status, says] of [
    ['an unknown sampler', 'txt2img', { prompt: 'a', sampler_name: 'Magic' }, 422, /`sampler_name` must be one of/],
    ['an unknown spacing', 'txt2img', { prompt: 'a', scheduler: 'Exponential' }, 422, /`scheduler`/],
    [
      'an unknown model',
      'txt2img',
      { prompt: 'a', override_settings: { sd_model_checkpoint: 'none' } },
      422,
      /`override_settings.sd_model_checkpoint`/,
    ],
    ['faces', 'txt2img', { prompt: 'a', restore_faces: true }, 422, /`restore_faces` must be false/],
    ['a script', 'txt2img', { prompt: 'a', script_name: 'X/Y/Z plot' }, 422, /`script_name`/],
    [
      'another script',
      'txt2img',
      { prompt: 'a', alwayson_scripts: { ADetailer: { args: [true, {}] } } },
      422,
      /`alwayson_scripts.ADetailer`/,
    ],
    ['a setting', 'txt2img', { prompt: 'a', override_settings: { clip: 1 } }, 422, /override_settings.clip/],
    ['too many images', 'txt2img', { prompt: 'a', batch_size: 16, n_iter: 2 }, 422, /`batch_size`/],
    ['no image', 'img2img', { prompt: 'a' }, 422, /`init_images`/],
    ['what is no image', 'img2img', { prompt: 'a', init_images: ['AAAA'] }, 422, /`init_images`/],
    ['another shape', 'img2img', { prompt: 'a', init_images: [picture(64, 32)] }, 422, /`resize_mode` must be 1/],
    [
      'a start from noise',
      'img2img',
      { prompt: 'a', init_images: [picture(64, 64)], mask: picture(8, 8), inpainting_fill: 2 },
      422,
      /`inpainting_fill`/,
    ],
    ['an unknown upscaler', 'extra-single-image', { image: picture(8, 8), upscaler_1: 'Lanczos' }, 404, /`upscaler_1`/],
    ['what A1111 offers and we do not', 'interrogate', { image: picture(8, 8) }, 404, /A1111/],
  ] as const)
    test(`${name} is rejected in one sentence`, async () => {
      const refused = await ask(path, body)
      assert.deepEqual([refused.status, typeof refused.answer.detail], [status, 'string'], JSON.stringify(refused.answer))
      assert.match(refused.answer.detail, says)
    })
})

test('progress shows only the drawing of the token, and an interruption ends it', async () => {
  const clock = createTestClock()
  const model = createFakeImageModel({ clock, stepDelayMs: 1000 })
  await using service = await startHttpService({ clock, catalog, pool: createFixedModelPool({ text: {}, image: { 'fake-image': model } }) })
  const other = await service.makeToken(['image'])
  const progress = async (token = service.token, query = '') =>
    JSON.parse(await (await service.fetch(`/sdapi/v1/progress${query}`, { token })).text())
  assert.deepEqual([(await progress()).progress, (await progress()).state.job_count], [0, 0])
  const drawing = service.fetch('/sdapi/v1/txt2img', { json: { prompt: 'a fox', steps: 4, batch_size: 2 } })
  while ((await progress()).state.job_count === 0) await clock.advance(0)
  while ((await progress()).state.sampling_step !== 3) await clock.advance(1000)
  const seen = await progress()
  assert.deepEqual([seen.progress, seen.state.job_count, seen.state.job_no, seen.state.sampling_steps], [3 / 8, 2, 0, 4])
  const { format } = await sharp(Buffer.from(seen.current_image, 'base64')).metadata()
  assert.equal(format, 'png')
  for (const query of ['?skip_current_image=true', '?skip_current_image=1'])
    assert.equal((await progress(service.token, query)).current_image, null)
  assert.equal((await service.fetch('/sdapi/v1/progress?skip_current_image=perhaps')).status, 400)
  assert.deepEqual([(await progress(other)).state.job_count, (await progress(other)).current_image], [0, null])
  await service.fetch('/sdapi/v1/interrupt', { method: 'POST', token: other })
  assert.equal((await progress()).state.job_count, 2)
  assert.deepEqual(await (await service.fetch('/sdapi/v1/interrupt', { method: 'POST' })).json(), {})
  const ended = await drawing
  assert.equal(ended.status, 200)
  const { images, info } = Object(await ended.json())
  assert.deepEqual([images, JSON.parse(info).infotexts], [[], []])
  assert.equal((await progress()).state.job_count, 0)
  await service.inBooks(1)
  assert.equal(service.booked[0]?.outcome, 'cancelled')
})

test('previews are made only for tokens that poll and requests that enable them', async () => {
  const clock = createTestClock()
  const fake = createFakeImageModel({ clock })
  const seen: boolean[] = []
  const model: ImageModel = {
    ...fake,
    generate(request, options) {
      seen.push(request.previews)
      return fake.generate(request, options)
    },
  }
  await using service = await startHttpService({ clock, catalog, pool: createFixedModelPool({ text: {}, image: { 'fake-image': model } }) })
  const draw = async (json: object = {}) =>
    assert.equal((await service.fetch('/sdapi/v1/txt2img', { json: { steps: 1, ...json } })).status, 200)
  const look = async (query = '') => (await service.fetch(`/sdapi/v1/progress${query}`)).status
  await look('?skip_current_image=true')
  await draw()
  await draw({ override_settings: { live_previews_enable: true } })
  await look()
  await draw()
  await draw({ override_settings: { live_previews_enable: false } })
  await clock.advance(11 * 60_000)
  await draw()
  assert.deepEqual(seen, [false, true, true, false, false])
})

test('an interrupted enlargement is an error', async () => {
  const clock = createTestClock()
  const started = Promise.withResolvers<void>()
  const model: ImageModel = {
    ...createFakeImageModel({ clock }),
    enlarge: (_, { signal: stopped }) =>
      new Promise((_resolve, reject) => {
        stopped.addEventListener('abort', () => reject(stopped.reason))
        started.resolve()
      }),
  }
  await using service = await startHttpService({ clock, catalog, pool: createFixedModelPool({ text: {}, image: { '4x-ultra': model } }) })
  const enlarging = service.fetch('/sdapi/v1/extra-single-image', { json: { image: picture(8, 8) } })
  await started.promise
  await service.fetch('/sdapi/v1/interrupt', { method: 'POST' })
  const { status } = await enlarging
  assert.equal(status, 409)
})
