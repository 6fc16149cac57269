import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import sharp from 'sharp'
import type { ImageRequest } from '../../src/core/image-generation.ts'
import { type ImageServerFormat, imageServerFormats } from '../../src/core/images/image-servers.ts'
import { connectImageServer } from '../support/engines/connect-image-server.ts'
import { drawPicture, type ImageServerFault } from '../support/engines/image-server.ts'
import { makeImageRequest } from '../support/image-request.ts'

const { signal } = new AbortController()
const idle = { signal, onProgress: (): void => undefined }
const request = (change: Partial<ImageRequest> = {}): ImageRequest =>
  makeImageRequest('a fox', { sampler: 'K_EULER', seeds: [7], guidanceScale: 5, steps: 4, ...change })

/** Where each kind of server has the pictures of its answer, written around a list of values. */
const written: Readonly<Record<Exclude<ImageServerFormat, 'comfyui'>, (values: readonly unknown[]) => object>> = {
  a1111: (images) => ({ images, info: '{}' }),
  'sd-server': (values) => ({ id: 'job_1', status: 'completed', result: { images: values.map((b64_json) => ({ b64_json })) } }),
  'openai-images': (values) => ({ data: values.map((b64_json) => ({ b64_json })) }),
}

const answers =
  (value: unknown): ImageServerFault =>
  (response) =>
    void response.end(JSON.stringify(value))

const causeOf = (says: RegExp) => (error: Error) => {
  assert.match(String(error.cause), says)
  return true
}

for (const [format, write] of Object.entries(written) as readonly [keyof typeof written, (values: readonly unknown[]) => object][])
  suite(`a server of the kind ${format} is read`, () => {
    const png = drawPicture({ width: 64, height: 64 })
    const asText = async (prefix = '') => `${prefix}${(await png).toString('base64')}`
    for (const [name, list] of [
      ['a data URL', async () => [await asText('data:image/png;base64,')]],
      ['more pictures than requested', async () => [await asText(), await asText()]],
      ['a null before the picture', async () => [null, '', await asText()]],
      ['base64 with line breaks', async () => [(await asText()).replace(/.{76}/g, '$&\r\n')]],
    ] as const)
      test(`if it sends ${name}`, async (context) => {
        const { model } = await connectImageServer(context, format, { fault: answers(write(await list())) })
        assert.equal((await model.generate(request(), idle)).images.length, 1)
      })

    test('if it sends an error with status 200', async (context) => {
      const fault = answers({ ...write([]), error: { message: 'too large', code: 'x' } })
      const { model } = await connectImageServer(context, format, { fault })
      await assert.rejects(model.generate(request(), idle), causeOf(/reported an error in its answer \(x\)/))
    })

    for (const values of [[], [null], [''], [7]])
      test(`if it sends ${JSON.stringify(values)}, which is an error`, async (context) => {
        const { model } = await connectImageServer(context, format, { fault: answers(write(values)) })
        await assert.rejects(model.generate(request(), idle), causeOf(/sent no image/))
      })
  })

for (const format of imageServerFormats)
  for (const kind of ['jpeg', 'webp'] as const)
    test(`a picture in ${kind} from a server of the kind ${format} is converted`, async (context) => {
      const drawn = await sharp(await drawPicture({ width: 64, height: 64 }))
        .toFormat(kind)
        .toBuffer()
      const { model } = await connectImageServer(context, format, { drawn })
      const { images } = await model.generate(request({ encoding: 'png' }), idle)
      assert.equal((await sharp(images[0]?.bytes).metadata()).format, 'png')
    })

test('an answer of OpenAI’s form may have `images`, and data URLs', async (context) => {
  const url = `data:image/webp;base64,${(await drawPicture({ width: 64, height: 64 })).toString('base64')}`
  for (const value of [{ images: [{ url }] }, { data: [{ url, b64_json: null }] }, { images: [url] }]) {
    const { model } = await connectImageServer(context, 'openai-images', { fault: answers(value) })
    assert.equal((await model.generate(request(), idle)).images.length, 1)
  }
  const { model } = await connectImageServer(context, 'openai-images', {
    fault: answers({ data: [{ url: 'https://other.example/a.png' }] }),
  })
  await assert.rejects(model.generate(request(), idle), causeOf(/sent the address of an image/))
})

test('a job of sd-server may report other words until it has ended', async (context) => {
  const states = ['pending', 'running', 'processing', 'in_progress']
  const fault: ImageServerFault = (response, body) => {
    const status = states.shift()
    response.end(status === undefined ? body : JSON.stringify({ id: 'job_1', status }))
  }
  const { model } = await connectImageServer(context, 'sd-server', { fault })
  assert.equal((await model.generate(request(), idle)).images.length, 1)
})

suite('a workflow on ComfyUI', () => {
  const at = /^\/history\//
  const ended = (more: object) => ({ p1: { outputs: {}, status: { status_str: 'success', completed: true, messages: [], ...more } } })

  test('may reach the history long after it was submitted, or be recorded while it runs', async (context) => {
    let looks = 0
    const fault: ImageServerFault = (response, body) => {
      looks++
      if (looks < 30) return void response.end('{}')
      if (looks < 60) return answers({ p1: { outputs: {}, status: { status_str: null, completed: false } } })(response, body)
      response.end(body)
    }
    const { model } = await connectImageServer(context, 'comfyui', { fault, at })
    assert.equal((await model.generate(request(), idle)).images.length, 1)
    assert.equal(looks, 60)
  })

  for (const [does, more, says] of [
    [
      'is interrupted',
      { status_str: 'error', completed: false, messages: [['execution_interrupted', {}]] },
      /was interrupted by somebody else/,
    ],
    [
      'fails',
      { status_str: 'error', completed: false, messages: [['execution_error', { node_type: 'KSampler', exception_type: 'OutOfMemory' }]] },
      /failed in its workflow: OutOfMemory in KSampler/,
    ],
    ['has no picture', {}, /without an image\./],
    ['ran no node again', { messages: [['execution_cached', { nodes: ['3', '9'] }]] }, /had the image in its cache/],
  ] as const)
    test(`that ${does} is an error that says so`, async (context) => {
      const { model } = await connectImageServer(context, 'comfyui', { fault: answers(ended(more)), at })
      await assert.rejects(model.generate(request(), idle), causeOf(says))
    })

  test('whose progress socket closes midway is fetched', async (context) => {
    const { model } = await connectImageServer(context, 'comfyui', { socketFault: (socket) => void socket.end(Buffer.of(0x88, 0)) })
    assert.equal((await model.generate(request(), idle)).images.length, 1)
  })

  test('with an unknown model is refused with the field of its node', async (context) => {
    const fault: ImageServerFault = (response) => {
      const errors = [{ type: 'value_not_in_list', message: 'Value not in list', extra_info: { input_name: 'ckpt_name' } }]
      const node_errors = { 4: { errors, dependent_outputs: ['9'], class_type: 'CheckpointLoaderSimple' } }
      response.writeHead(400).end(JSON.stringify({ error: { message: 'Prompt outputs failed validation' }, node_errors }))
    }
    const { model } = await connectImageServer(context, 'comfyui', { fault, at: /^\/prompt$/ })
    await assert.rejects(model.generate(request(), idle), { code: 'validation_error', message: /ckpt_name of CheckpointLoaderSimple/ })
  })
})
