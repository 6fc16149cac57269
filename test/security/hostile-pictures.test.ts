import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import { createSystemClock } from '../../src/composition/system-clock.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { createFakeCatalog } from '../../src/runtimes/fake/fake-catalog.ts'
import { createFixedModelPool } from '../../src/runtimes/fake/fixed-model-pool.ts'
import { loadLlamaModel } from '../../src/runtimes/llama/load-llama-model.ts'
import { openThreadedTower as openTower } from '../../src/runtimes/vision/threaded-tower.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { describeSeeing, writeSeeingFiles } from '../support/model-files/seeing-models.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

const { signal } = new AbortController()
const model = 'mlp'

function paint(width: number, height: number, alpha = 1): Sharp {
  return sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 60, alpha } } })
}

/** A PNG file of so many pixels with the bytes of so few of its lines. */
function pngOf(width: number, height: number, lines: number): Buffer {
  const u32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer).swap32()
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    return Buffer.concat([u32(data.length), body, u32(crc32(body))])
  }
  const header = Buffer.concat([u32(width), u32(height), Buffer.from([8, 2, 0, 0, 0])])
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc((3 * width + 1) * lines))), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts])
}

const png = await paint(64, 64).png().toBuffer()
const jpeg = await paint(200, 100).removeAlpha().jpeg().toBuffer()
const frames = sharp(Buffer.alloc(3 * 20 * 40, 9), { raw: { width: 20, height: 40, channels: 3, pageHeight: 20 } })

/** Strange pictures that models see. */
const strange: Readonly<Record<string, Buffer>> = {
  'one pixel': await paint(1, 1).png().toBuffer(),
  'a line of the greatest length': await paint(200, 1).png().toBuffer(),
  'a very wide one': await paint(16_000, 100).png().toBuffer(),
  'a JPEG in CMYK': await paint(40, 30).removeAlpha().toColourspace('cmyk').jpeg().toBuffer(),
  'a PNG of 16 bits': await paint(40, 30).toColourspace('rgb16').png().toBuffer(),
  'a grey PNG with transparency': await paint(40, 30, 0.4).toColourspace('grey16').png().toBuffer(),
  'a PNG of two colours': await paint(40, 30).png({ palette: true, colours: 2 }).toBuffer(),
  'a progressive JPEG': await paint(40, 30).removeAlpha().jpeg({ progressive: true }).toBuffer(),
  'a JPEG that is turned by its EXIF data': await paint(200, 50).removeAlpha().withMetadata({ orientation: 6 }).jpeg().toBuffer(),
  'an animated GIF': await frames.clone().gif().toBuffer(),
  'an animated WebP': await frames.clone().webp({ loop: 0 }).toBuffer(),
  'a PNG with another file behind it': Buffer.concat([png, Buffer.alloc(500_000, 80)]),
}

/** Files that are not pictures or are too large, and their errors. */
const refused: Readonly<Record<string, readonly [file: Buffer, says: RegExp]>> = {
  'a line': [await paint(20_000, 1).png().toBuffer(), /more than 200 times as long as wide/],
  'a bomb': [pngOf(30_000, 30_000, 100), /30000 × 30000 pixels: send one of at most/],
  'a GIF that names the greatest size': [
    Buffer.from('GIF89a\xff\xff\xff\xff\0\0\0\x2c\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x44\x01\0;', 'latin1'),
    /pixels/,
  ],
  'a PNG without most of its lines': [pngOf(2000, 2000, 10), /is damaged/],
  'a PNG of no size': [pngOf(0, 0, 0), /cannot be read/],
  'a PNG of negative size': [pngOf(2 ** 31 - 1, 1, 0), /cannot be read/],
  'half a JPEG': [jpeg.subarray(0, jpeg.length / 2), /cannot be read|is damaged/],
  'the first bytes of a PNG': [png.subarray(0, 33), /cannot be read/],
  'a WebP that names a size beyond its end': [Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8 \xff\xff\xff\xff', 'latin1'), /cannot be read/],
  'an SVG': [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'),
    /cannot be read|must be a PNG/,
  ],
}

/** By path: a body that shows a picture. */
const bodies: Readonly<Record<string, (data: string) => object>> = {
  '/v1/chat/completions': (data) => ({
    messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }] }],
    max_tokens: 2,
  }),
  '/v1/responses': (data) => ({
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${data}`, detail: 'auto' }] }],
    max_output_tokens: 2,
  }),
  '/v1/messages': (data) => ({
    messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }] }],
    max_tokens: 2,
  }),
  '/api/chat': (data) => ({ messages: [{ role: 'user', content: 'x', images: [data] }], stream: false, options: { num_predict: 2 } }),
}

suite('hostile pictures', () => {
  let service: HttpService
  const opened = new AsyncDisposableStack()
  before(async () => {
    const folder = opened.use(await createTemporaryFolder())
    const descriptor = describeSeeing(model, await writeSeeingFiles(folder.path, model))
    const loaded = opened.use(await loadLlamaModel(descriptor, { threads: 1, slots: 2, openTower, signal }))
    const pool = createFixedModelPool({ text: { [model]: loaded } })
    service = opened.use(await startHttpService({ catalog: createFakeCatalog([descriptor]), pool }))
  })
  after(() => opened.disposeAsync())

  const show = (path: string, file: Buffer, init: RequestInit & { readonly token?: string } = {}): Promise<Response> =>
    service.fetch(path, { ...init, json: { model, ...bodies[path]?.(file.toString('base64')) } })

  for (const path of Object.keys(bodies))
    test(`are accepted or rejected with the fault, without breaking the service: ${path}`, async () => {
      for (const [name, file] of Object.entries(strange)) {
        const answer = await show(path, file)
        assert.equal(answer.status, 200, `${name}: ${await answer.text()}`)
      }
      for (const [name, [file, says]] of Object.entries(refused)) {
        const answer = await show(path, file)
        assert.ok(answer.status === 400 || answer.status === 422, name)
        assert.match(await answer.text(), says, name)
      }
      assert.deepEqual(service.failures, [])
    })

  test('a hundred pictures exceed the context and are rejected, and disconnected clients delay nobody', async () => {
    const [path] = Object.keys(bodies)
    const part = { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } }
    const messages = Array.from({ length: 100 }, () => ({ role: 'user', content: [part] }))
    const many = await service.fetch('/v1/chat/completions', { json: { model, messages } })
    assert.equal(many.status, 400)
    assert.match(await many.text(), /context/)
    const controller = new AbortController()
    const left = Array.from({ length: 8 }, async (_, index) => {
      const file = await paint(1000 + index, 1000)
        .png()
        .toBuffer()
      return show(path ?? '', file, { signal: controller.signal }).then(
        ({ status }) => status,
        () => 'left',
      )
    })
    const other = await createAccount({ ...service.store, clock: createSystemClock() }, { name: 'Grace', role: 'member' }, { signal })
    const token = await service.makeToken(['text'], { accountId: other.id })
    const honest = show(path ?? '', png, { token })
    controller.abort()
    assert.equal((await honest).status, 200)
    assert.ok((await Promise.all(left)).every((end) => end === 'left' || end === 200))
    assert.deepEqual(service.failures, [])
  })
})
