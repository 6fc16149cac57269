import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { test } from 'node:test'
import sharp from 'sharp'
import { ServiceError } from '../../src/core/error.ts'
import type { ImageProgress, ImageRequest } from '../../src/core/image-generation.ts'
import { imageServerFormats, samplersMissingAt } from '../../src/core/images/image-servers.ts'
import { connectImageServer, openWorkflow } from '../support/engines/connect-image-server.ts'
import { hangs, type ImageServerFault } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const idle = { signal, onProgress: (): void => undefined }
const usual = { sampler: 'K_EULER', seeds: [7], guidanceScale: 5, steps: 4 } as const

const withPicture = { ...openWorkflow, 8: { class_type: 'LoadImage', inputs: { image: '{{init_image}}' } } }

const request = (change: Partial<ImageRequest> = {}): ImageRequest => makeImageRequest('a fox', { ...usual, ...change })

for (const format of imageServerFormats) {
  test(`${format}: draws a picture per seed, in the requested encoding, with the key of the file`, async (context) => {
    const { model, server, slots } = await connectImageServer(context, format)
    const { images } = await model.generate(request({ seeds: [7, 9], encoding: 'jpeg' }), idle)
    assert.deepEqual(
      images.map(({ seed, width, height }) => [seed, width, height]),
      [
        [7, 64, 64],
        [9, 64, 64],
      ],
    )
    for (const { bytes } of images) assert.equal((await sharp(bytes).metadata()).format, 'jpeg')
    assert.equal(slots, 1)
    assert.ok(server.calls.every(({ authorization }) => authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`))
  })

  test(`${format}: every sampler is mapped to a name or rejected before it is sent`, async (context) => {
    const { model, server } = await connectImageServer(context, format)
    const [missing] = Object.keys(samplersMissingAt(format, 'K_EULER'))
    assert.ok(missing !== undefined)
    if (format !== 'openai-images')
      await assert.rejects(model.generate(request({ sampler: 'DPM_SINGLE' }), idle), { code: 'unsupported', param: 'sampler' })
    assert.ok(server.calls.every(({ path }) => !/2img$|img_gen$|^\/prompt$|generations$/.test(path)))
  })

  test(`${format}: fields that the server lacks are rejected by name`, async (context) => {
    const { model } = await connectImageServer(context, format)
    for (const [change, param] of [
      [{ prompt2: 'another' }, 'prompt_2'],
      [{ negative: { prompt: 'dog', prompt2: 'cat' } }, 'negative_prompt_2'],
      [{ clipSkip: 1 }, 'clip_skip'],
      [{ guidanceRescale: 0.5 }, 'guidance_rescale'],
    ] as const)
      await assert.rejects(model.generate(request(change), idle), { code: 'unsupported', param })
  })
}

for (const format of ['a1111', 'openai-images'] as const)
  test(`${format}: a prompt cannot inject parameters that stable-diffusion.cpp would parse`, async (context) => {
    const { model, server } = await connectImageServer(context, format)
    const before = server.calls.length
    const prompt = 'a fox <sd_cpp_extra_args>{"batch_count": 64, "sample_params": {"sample_steps": 9999}}</sd_cpp_extra_args>'
    await assert.rejects(model.generate(makeImageRequest(prompt, usual), idle), { code: 'validation_error', param: 'prompt' })
    if (format === 'a1111')
      await assert.rejects(model.generate(request({ negative: { prompt, prompt2: prompt } }), idle), { param: 'negative_prompt' })
    assert.equal(server.calls.length, before)
  })

test('a1111: fields, looks and LoRAs are sent in its format', async (context) => {
  const { model, server } = await connectImageServer(context, 'a1111')
  await model.generate(
    request({
      sampler: 'DPM_PLUS_PLUS_2M_KARRAS',
      stylePreset: 'origami',
      negative: { prompt: 'dog', prompt2: 'dog' },
      loras: [{ name: 'ink', weight: 0.8 }],
    }),
    idle,
  )
  const sent = JSON.parse((await server.seen('/sdapi/v1/txt2img')).body)
  assert.equal(sent.prompt, 'origami a fox, folded paper, sharp creases, plain backdrop <lora:ink:0.8>')
  assert.equal(sent.negative_prompt, 'drawing, wet, cluttered, dog')
  assert.deepEqual([sent.sampler_name, sent.scheduler, sent.seed, sent.steps, sent.cfg_scale], ['DPM++ 2M', 'karras', 7, 4, 5])
  assert.deepEqual([sent.width, sent.height, sent.batch_size, sent.save_images], [64, 64, 1, false])
})

test('a1111: a picture with a mask is sent to img2img', async (context) => {
  const { model, server } = await connectImageServer(context, 'a1111')
  const image = Buffer.from('picture')
  const mask = { image, fullResolution: true, padding: 16, outpainting: false, blur: 4 }
  await model.generate(request({ initial: { image, strength: 0.6 }, mask }), idle)
  const sent = JSON.parse((await server.seen('/sdapi/v1/img2img')).body)
  assert.deepEqual([sent.init_images, sent.denoising_strength], [[image.toString('base64')], 0.6])
  assert.deepEqual([sent.mask_blur, sent.inpaint_full_res, sent.inpaint_full_res_padding], [4, true, 16])
})

test('a1111: a server without the API is reported with the hint --api', async (context) => {
  const fault: ImageServerFault = (response) => void response.writeHead(404).end('{"detail":"Not Found"}')
  await assert.rejects(connectImageServer(context, 'a1111', { fault, at: /samplers$/ }), ({ cause }: ServiceError) => {
    assert.match((cause as Error).message, /has no \/sdapi\/v1; start it with --api, or correct `url` in its model\.json/)
    return true
  })
})

test('an address that is not an image server is reported', async (context) => {
  const fault: ImageServerFault = (response) => void response.end('<!doctype html>')
  await assert.rejects(connectImageServer(context, 'a1111', { fault, at: /samplers$/ }), ({ cause }: ServiceError) => {
    assert.match((cause as Error).message, /something other than JSON; `url` in its model\.json/)
    return true
  })
})

test('a1111: progress includes previews, counts over all pictures and ends complete', async (context) => {
  const { model, server } = await connectImageServer(context, 'a1111', { fault: hangs })
  const controller = new AbortController()
  const { promise, resolve } = Promise.withResolvers<ImageProgress>()
  const onProgress = (progress: ImageProgress): void => {
    if (progress.preview !== undefined) resolve(progress)
  }
  const generating = model.generate(request({ previews: true, seeds: [1, 2] }), { signal: controller.signal, onProgress })
  await server.drawing
  const { step, total, preview } = await promise
  assert.deepEqual([step, total], [2, 8])
  assert.equal((await sharp(preview).metadata()).format, 'jpeg')
  controller.abort()
  await assert.rejects(generating)
})

test('progress is reported in the requested steps, whatever the server counts', async (context) => {
  for (const [format, at, reported] of [
    ['a1111', /2img$/, undefined],
    ['comfyui', /^\/history\//, { type: 'progress', data: { value: 2, max: 4 } }],
  ] as const) {
    const { model, server } = await connectImageServer(context, format, { fault: hangs, at })
    const controller = new AbortController()
    const { promise, resolve } = Promise.withResolvers<ImageProgress>()
    const generating = model.generate(request({ steps: 20 }), { signal: controller.signal, onProgress: resolve })
    if (reported !== undefined) {
      await server.listened
      server.send(reported)
    }
    assert.deepEqual(await promise, { step: 10, total: 20 })
    controller.abort()
    await assert.rejects(generating)
  }
})

test('sd-server: a job has its samplers, its LoRAs by path and its limits', async (context) => {
  const { model, server } = await connectImageServer(context, 'sd-server')
  await model.generate(request({ sampler: 'DPM_PLUS_PLUS_2M_KARRAS', loras: [{ name: 'ink', weight: 0.5 }] }), idle)
  const sent = JSON.parse((await server.seen('/sdcpp/v1/img_gen')).body)
  assert.deepEqual(sent.sample_params, { sample_method: 'dpm++2m', scheduler: 'karras', sample_steps: 4, guidance: { txt_cfg: 5 } })
  assert.deepEqual(sent.lora, [{ path: 'styles/ink.safetensors', multiplier: 0.5, is_high_noise: false }])
  await assert.rejects(model.generate(request({ loras: [{ name: 'clay', weight: 1 }] }), idle), { code: 'unsupported', param: 'loras' })
  await assert.rejects(model.generate(request({ width: 2048 }), idle), { code: 'validation_error', param: 'width' })
  await assert.rejects(model.generate(request({ sampler: 'HEUN' }), idle), { code: 'unsupported', param: 'sampler' })
})

test('sd-server: Sepia encodes the picture if the server lacks the encoding', async (context) => {
  const { model, server } = await connectImageServer(context, 'sd-server')
  for (const [encoding, sent] of [
    ['jpeg', 'jpeg'],
    ['webp', 'png'],
  ] as const) {
    const { images } = await model.generate(request({ encoding }), idle)
    assert.equal((await sharp(images[0]?.bytes).metadata()).format, encoding)
    const job = server.calls.findLast(({ path }) => path === '/sdcpp/v1/img_gen')
    assert.equal(JSON.parse(job?.body ?? '').output_format, sent)
  }
})

for (const [status, body, reason] of [
  [404, '{"error":"job not found"}', /restarted/],
  [410, '{"error":"job expired"}', /restarted/],
  [200, '{"status":"failed","error":{"code":"generation_failed","message":"a fox"}}', /ended an image as failed generation_failed\.$/],
  [200, '{}', /does not report the state of an image/],
] as const)
  test(`sd-server: a job that ends as ${status} ${body} is reported in the log`, async (context) => {
    const fault: ImageServerFault = (response) => void response.writeHead(status).end(body)
    const { model } = await connectImageServer(context, 'sd-server', { fault })
    await assert.rejects(model.generate(request(), idle), (error) => {
      assert.ok(error instanceof ServiceError && error.cause instanceof Error)
      assert.match(error.cause.message, reason)
      return error.code === 'inference_failed'
    })
  })

test('comfyui: placeholders are filled with the right types, whatever the prompt contains', async (context) => {
  const { model, server } = await connectImageServer(context, 'comfyui', { workflow: withPicture })
  const initial = { image: Buffer.from('picture'), strength: 0.5 }
  await model.generate(makeImageRequest('a "$&" {{seed}} fox', { ...usual, initial }), idle)
  const { prompt } = JSON.parse((await server.seen('/prompt')).body)
  assert.deepEqual(prompt[3].inputs, { seed: 7, steps: 4, cfg: 5, sampler_name: 'euler', scheduler: 'normal', denoise: 0.5 })
  assert.deepEqual(prompt[5].inputs, { width: 64, height: 64, batch_size: 1 })
  assert.equal(prompt[6].inputs.text, 'a "$&" {{seed}} fox, masterpiece')
  assert.equal(prompt[8].inputs.image, 'mine.png')
  await assert.rejects(model.generate(request(), idle), { code: 'validation_error', param: 'init_image' })
})

test('comfyui: fields without a placeholder in the workflow are rejected by name', async (context) => {
  const closed = { 6: { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}}' } } }
  const { model } = await connectImageServer(context, 'comfyui', { workflow: closed })
  const image = Buffer.from('x')
  for (const [change, param] of [
    [{ negative: { prompt: 'dog', prompt2: 'dog' } }, 'negative_prompt'],
    [{ width: 128 }, 'width'],
    [{ height: 128 }, 'height'],
    [{ steps: 5 }, 'steps'],
    [{ guidanceScale: 6 }, 'cfg_scale'],
    [{ sampler: 'DDIM' }, 'sampler'],
    [{ initial: { image, strength: 0.5 } }, 'init_image'],
    [{ loras: [{ name: 'ink', weight: 1 }] }, 'loras'],
  ] as const)
    await assert.rejects(model.generate(request(change), idle), { code: 'unsupported', param })
  await model.generate(request(), idle)
})

test('comfyui: steps and previews are read from its socket, which is opened with the key', async (context) => {
  const { model, server } = await connectImageServer(context, 'comfyui', { fault: hangs, at: /^\/history\// })
  const controller = new AbortController()
  const seen: ImageProgress[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const onProgress = (progress: ImageProgress): void => {
    seen.push(progress)
    if (progress.preview !== undefined) resolve()
  }
  const generating = model.generate(request({ previews: true }), { signal: controller.signal, onProgress })
  await server.drawing
  await server.listened
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#ff0000' } })
    .jpeg()
    .toBuffer()
  server.send({ type: 'progress', data: { value: 3, max: 4, prompt_id: 'p1' } })
  server.send(Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 1]), picture]))
  await promise
  assert.deepEqual(
    seen.map(({ step }) => step),
    [3, 3],
  )
  controller.abort()
  await assert.rejects(generating)
  await server.unheard
})

test('comfyui: a socket is opened with the current key of the file', async (context) => {
  let key = 'me:secret'
  const accepts = (authorization: string | undefined): boolean => authorization === `Basic ${Buffer.from(key).toString('base64')}`
  const { model, server, keyFile } = await connectImageServer(context, 'comfyui', { fault: hangs, at: /^\/history\//, accepts })
  key = 'me:another'
  await writeFile(keyFile, key)
  const controller = new AbortController()
  const generating = model.generate(request(), { ...idle, signal: controller.signal })
  await server.listened
  controller.abort()
  await assert.rejects(generating)
})

test('comfyui: a socket is closed after its picture, also if the server does not respond to that', async (context) => {
  const { model, server } = await connectImageServer(context, 'comfyui')
  const { images } = await model.generate(request(), idle)
  assert.equal(images.length, 1)
  await server.listened
  await server.unheard
})

for (const [name, socketFault] of [
  ['speaks something else', (socket: Duplex) => void socket.write('HTTP/1.1 200 OK\r\n\r\n')],
  ['announces 4 GB', (socket: Duplex) => void socket.write(Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 0, 1]))],
  ['is closed by the server', (socket: Duplex) => void socket.end()],
] as const)
  test(`comfyui: a socket that ${name} loses only the progress`, async (context) => {
    const { model, server } = await connectImageServer(context, 'comfyui', { socketFault })
    const { images } = await model.generate(request(), idle)
    assert.equal(images.length, 1)
    await server.listened
    await server.unheard
  })

test('openai-images: models that always return base64 are sent no response_format', async (context) => {
  for (const [name, requested] of [
    ['gpt-image-1', undefined],
    ['gpt-image-1.5', undefined],
    ['chatgpt-image-latest', undefined],
    ['openai/gpt-image-1', undefined],
    ['dall-e-3', 'b64_json'],
    ['flux', 'b64_json'],
  ] as const) {
    const { model, server } = await connectImageServer(context, 'openai-images', { name })
    await model.generate(request(), idle)
    assert.equal(JSON.parse((await server.seen('/images/generations')).body).response_format, requested, name)
  }
})

test('openai-images: a picture in a data address is read, and a web address is the reason of the failure', async (context) => {
  const at = /\/images\/generations$/
  const answer =
    (url: (base64: string) => string): ImageServerFault =>
    (response, body) => {
      const { data } = JSON.parse(body.toString())
      response.end(JSON.stringify({ data: [{ b64_json: null, url: url(data[0].b64_json) }] }))
    }
  const inData = await connectImageServer(context, 'openai-images', { at, fault: answer((base64) => `data:image/png;base64,${base64}`) })
  assert.equal((await inData.model.generate(request(), idle)).images.length, 1)
  const elsewhere = await connectImageServer(context, 'openai-images', { at, fault: answer(() => 'https://pictures.example/a.png') })
  await assert.rejects(elsewhere.model.generate(request(), idle), (error: Error) => /address of an image/.test(String(error.cause)))
})

test('openai-images: only the prompt and the size are sent, and other fields are rejected', async (context) => {
  const { model, server } = await connectImageServer(context, 'openai-images')
  await model.generate(request(), idle)
  const sent = JSON.parse((await server.seen('/images/generations')).body)
  assert.deepEqual(sent, { model: 'far', prompt: 'a fox', n: 1, size: '64x64', response_format: 'b64_json' })
  for (const [change, param] of [
    [{ negative: { prompt: 'dog', prompt2: 'dog' } }, 'negative_prompt'],
    [{ steps: 5 }, 'steps'],
    [{ guidanceScale: 6 }, 'cfg_scale'],
    [{ initial: { image: Buffer.from('x'), strength: 0.5 } }, 'init_image'],
  ] as const)
    await assert.rejects(model.generate(request(change), idle), { code: 'unsupported', param })
})
