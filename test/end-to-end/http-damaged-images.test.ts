import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import sharp from 'sharp'
import { inspectImage } from '../../src/runtimes/diffusion/pictures/inspect-image.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readJson } from '../support/read-json.ts'

const grain = { type: 'gaussian', mean: 128, sigma: 30 } as const
const photograph = sharp({ create: { width: 300, height: 200, channels: 3, background: '#888888', noise: grain } })
const black = sharp({ create: { width: 64, height: 64, channels: 3, background: '#000000' } })

suite('images that the engine cannot use', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService({ overrides: { inspectImage } })
  })
  after(() => service[Symbol.asyncDispose]())

  const submit = (fields: object) =>
    service.fetch('/generate/sdxl', { json: { prompt: 'a tiger', ...fields }, headers: { 'x-service-async': '1' } })

  const assertRefused = async (answer: Response, field: string) => {
    const { error, detail } = await readJson(answer)
    assert.equal(answer.status, 422)
    assert.equal(Object(error).param, field)
    assert.deepEqual(Object(detail)[0].loc, ['body', field])
  }

  test('a truncated file is rejected by name before anything is queued', async () => {
    const whole = (await black.clone().png().toBuffer()).toString('base64')
    for (const bytes of [await photograph.clone().jpeg().toBuffer(), await photograph.clone().png().toBuffer()]) {
      assert.equal((await submit({ init_image: bytes.toString('base64') })).status, 202)
      for (const share of [0.5, 0.9, 0.99]) {
        const cut = bytes.subarray(0, Math.floor(bytes.length * share)).toString('base64')
        await assertRefused(await submit({ init_image: cut }), 'init_image')
        await assertRefused(await submit({ init_image: whole, mask_image: cut }), 'mask_image')
      }
    }
    assert.equal(Object((await readJson(await service.fetch('/v1/requests'))).data).length, 2)
  })

  test('a mask without white is rejected', async () => {
    const image = (await black.clone().png().toBuffer()).toString('base64')
    await assertRefused(await submit({ init_image: image, mask_image: image }), 'mask_image')
    await assertRefused(await submit({ init_image: image, mask_image: image, inpaint_full_res: true }), 'mask_image')
  })
})
