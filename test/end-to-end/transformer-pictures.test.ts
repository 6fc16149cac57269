import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { unpackGoldenCheckpoints } from '../support/model-files/golden-checkpoints.ts'
import { openReferencePipeline } from '../support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../support/parity/reference-case.ts'
import { replayCase } from '../support/parity/replay-case.ts'
import { type ServiceProcess, startService } from '../support/service-process.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const turbo = 'z_image_turbo-Q4_0'
const klein = 'flux-2-klein'
const wanted = new RegExp(
  [
    ...['unet/z_image_turbo-Q4_0', 'diffusion_models/flux-2-klein', 'text_encoders/qwen_3_4b', 'vae/(?:ae|flux2-vae)\\.'],
    ...['tokenizers/qwen3', 'cases\\.json', 'loras/(?:z-image-kohya|flux-kohya)'],
  ].join('|'),
  'u',
)
const side = 64
const drawn = { prompt: 'a glossy red apple', width: side, height: side, steps: 2, seed: 5, image_encoding: 'png' }
const picture = Buffer.from(encodeSolidPng(side, side, 0x3060c0)).toString('base64')
const mask = Buffer.from(encodeSolidPng(side, side, 0xffffff)).toString('base64')

interface Drawn {
  readonly images: readonly { readonly image_b64: string; readonly seed: number }[]
  readonly warnings?: readonly string[]
}

suite('pictures of models with a transformer, over HTTP', { timeout: 300_000 }, () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
  let service: ServiceProcess
  let token = ''

  before(async () => {
    folder = await createTemporaryFolder()
    const models = join(folder.path, 'models')
    await unpackGoldenCheckpoints(models, (path) => wanted.test(path), 'transformers')
    service = await startService(join(folder.path, 'data'), '--models', models)
    token = /TOKEN=(sepia_\w+)/.exec(service.greeting)?.[1] ?? ''
  })
  after(async () => {
    await service.stop()
    await folder[Symbol.asyncDispose]()
  })

  const send = (path: string, { json, method = json === undefined ? 'GET' : 'POST', headers = {} }: Sent = {}) =>
    fetch(new URL(path, service.url), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(json && { body: JSON.stringify(json) }),
    })
  interface Sent {
    readonly json?: object
    readonly method?: string
    readonly headers?: Readonly<Record<string, string>>
  }
  const draw = async (fields: object = {}): Promise<Drawn> => {
    const answer = await send('/generate/image', { json: { model: turbo, ...drawn, ...fields } })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return JSON.parse(text)
  }
  /** Checksums of the pixels: files carry what was asked for as well. */
  const pixelsOf = ({ images }: Drawn): Promise<readonly string[]> =>
    Promise.all(
      images.map(async ({ image_b64: bytes }) => {
        const pixels = await sharp(Buffer.from(bytes, 'base64')).raw().toBuffer()
        return createHash('sha256').update(pixels).digest('hex')
      }),
    )

  test('the same request draws the same picture; several images follow their seeds', async () => {
    const [first, again] = [await draw(), await draw()]
    assert.deepEqual(await pixelsOf(first), await pixelsOf(again))
    const both = await draw({ num_images: 2 })
    assert.deepEqual(
      both.images.map(({ seed }) => seed),
      [5, 6],
    )
    const [one, other] = await pixelsOf(both)
    assert.deepEqual([one], await pixelsOf(first))
    assert.notEqual(other, one)
  })

  test('pictures can start from others, be repainted, and use a LoRA', async () => {
    const [plain] = await pixelsOf(await draw())
    const changed = [
      { init_image: picture, strength: 0.5 },
      { init_image: picture, mask_image: mask, strength: 1 },
      { loras: { 'z-image-kohya': 1 } },
      { cfg_scale: 4, negative_prompt: 'blur' },
    ]
    const seen = [plain]
    for (const fields of changed) {
      const [pixels] = await pixelsOf(await draw(fields))
      assert.ok(!seen.includes(pixels), `${Object.keys(fields).join()}`)
      seen.push(pixels)
    }
    assert.deepEqual(await pixelsOf(await draw({ loras: { 'z-image-kohya': 0 } })), [plain])
    const { images } = await draw({ model: klein, init_image: picture, mask_image: mask, strength: 0.8 })
    assert.equal(images.length, 1)
  })

  test('reference pictures are encoded as in diffusers, by each route that accepts them', async () => {
    const models = join(folder.path, 'models')
    const { cases } = parseReferenceFile(JSON.parse(await readFile(join(models, 'cases.json'), 'utf8')))
    const golden = cases.filter(({ referencePngs }) => referencePngs.length > 0)
    const { signal } = new AbortController()
    const [first] = golden
    assert.ok(first)
    await using opened = await openReferencePipeline(models, first, { threads: 1, signal })
    for (const each of golden) {
      const { prompt, width, height, steps, seed, guidanceScale: cfg_scale, referencePngs } = each
      const fields = { model: klein, prompt, steps, seed, cfg_scale }
      const pictures = referencePngs.map((bytes) => Buffer.from(bytes).toString('base64'))
      const form = new FormData()
      for (const [name, value] of Object.entries({ ...fields, size: `${width}x${height}` })) form.append(name, String(value))
      for (const bytes of referencePngs) form.append('image[]', new Blob([Uint8Array.from(bytes)]), 'a.png')
      const answer = await fetch(new URL('/v1/images/edits', service.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: form,
      })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      const edited: string = JSON.parse(text).data[0].b64_json
      const { images } = await draw({ ...fields, width, height, reference_images: pictures })
      for (const drawn of [images[0]?.image_b64 ?? '', edited]) {
        // The service reads longer prompts than the case does, which pads this one further.
        const { pixels } = await replayCase(opened, { ...each, maxTokens: null, png: Buffer.from(drawn, 'base64') }, { signal })
        assert.ok(pixels <= 1, `${each.name}: ${pixels}`)
      }
    }
  })

  test('a truncated prompt is drawn with a warning', async () => {
    const { warnings } = await draw({ prompt: 'a glossy red apple '.repeat(300), steps: 1 })
    assert.match(warnings?.[0] ?? '', /more than the 512 tokens/)
  })

  test('an asynchronous drawing is fetched, and another is cancelled', async () => {
    const submit = async (fields: object): Promise<string> => {
      const answer = await send('/generate/image', { json: { model: turbo, ...drawn, ...fields }, headers: { 'x-service-async': '1' } })
      assert.equal(answer.status, 202)
      return String(JSON.parse(await answer.text()).response_id)
    }
    const poll = async (id: string) => JSON.parse(await (await send(`/v1/requests/${id}?wait=60`)).text())
    assert.equal((await poll(await submit({}))).outcome, 'succeeded')
    const long = await submit({ steps: 100, width: 256, height: 256 })
    assert.ok((await send(`/v1/requests/${long}`, { method: 'DELETE' })).ok)
    assert.equal((await poll(long)).outcome, 'cancelled')
  })

  test('a stream contains previews and ends with the picture', async () => {
    const json = { model: turbo, prompt: 'a glossy red apple', size: '256x256', stream: true, partial_images: 1, seed: 5, steps: 2 }
    const answer = await send('/v1/images/generations', { json })
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    assert.match(text, /image_generation\.completed/)
  })

  test('fields that a family does not support are rejected', async () => {
    for (const [fields, param] of [
      [{ clip_skip: 1 }, 'clip_skip'],
      [{ prompt_2: 'a pear' }, 'prompt_2'],
      [{ controlnet: 'edges', controlnet_image: picture }, 'controlnet'],
      [{ skip_guidance_layers: [1] }, 'skip_guidance_layers'],
      [{ sampler: 'DDIM' }, 'sampler'],
      [{ negative_prompt: 'blur', cfg_scale: 0 }, 'negative_prompt'],
      [{ loras: { 'flux-kohya': 1 } }, 'loras'],
      [{ reference_images: [picture] }, 'reference_images'],
      [{ model: klein, reference_images: [picture.slice(0, 40)] }, 'reference_images'],
      [{ model: klein, reference_images: Array(5).fill(picture) }, 'reference_images'],
    ] as const) {
      const answer = await send('/generate/image', { json: { model: turbo, ...drawn, ...fields } })
      const { error } = JSON.parse(await answer.text())
      assert.equal(answer.status, 422, JSON.stringify(error))
      assert.equal(error.param, param)
    }
  })
})
