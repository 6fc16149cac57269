import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { encodeSolidPng } from '../../src/runtimes/fake/solid-png.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { readError, readJson } from '../support/read-json.ts'

const picture = Buffer.from(encodeSolidPng(8, 8, 0xff0000)).toString('base64')

suite('images', () => {
  let service: HttpService
  before(async () => {
    service = await startHttpService()
  })
  after(() => service[Symbol.asyncDispose]())

  const draw = (fields: object, headers: Record<string, string> = {}) =>
    service.fetch('/generate/sdxl', { json: { prompt: 'a tiger', ...fields }, headers })

  test("an answer has the fields of the contract and Sepia's own", async () => {
    const answer = await draw({ seed: [5, 9], num_images: 2, width: 128, height: 72 })
    assert.equal(answer.status, 200)
    const { images, prediction_time_ms, ...rest } = await readJson(answer)
    assert.deepEqual(rest, { model: 'fake-image', width: 128, height: 72 })
    assert.ok(Number(prediction_time_ms) >= 0)
    const entries: { image_b64: string; seed: number }[] = JSON.parse(JSON.stringify(images))
    for (const [index, { image_b64, ...entry }] of entries.entries()) {
      assert.deepEqual(entry, { removed_for_safety: false, safety_score: null, seed: [5, 9][index] })
      assert.equal(Buffer.from(image_b64, 'base64').toString('latin1', 1, 4), 'PNG')
    }
    assert.equal(entries.length, 2)
  })

  test('the same seed draws the same image', async () => {
    const bytes = async (seed: number) => JSON.stringify((await readJson(await draw({ seed }))).images)
    assert.equal(await bytes(3), await bytes(3))
    assert.notEqual(await bytes(3), await bytes(4))
  })

  test('Accept selects JSON or the first image itself', async () => {
    for (const accept of ['image/png', 'image/*', 'image/png;q=0.9, */*;q=0.1']) {
      const answer = await draw({ seed: 1 }, { accept })
      assert.equal(answer.headers.get('content-type'), 'image/png', accept)
      const [first]: { image_b64: string }[] = JSON.parse(JSON.stringify((await readJson(await draw({ seed: 1 }))).images))
      assert.equal(Buffer.from(await answer.arrayBuffer()).toString('base64'), first?.image_b64)
    }
    for (const accept of ['', '*/*', 'application/json', 'text/html'])
      assert.ok('images' in (await readJson(await draw({}, { accept }))), accept)
    assert.equal((await draw({ image_encoding: 'jpeg' }, { accept: 'image/png' })).status, 422)
    for (const accept of ['image/png', 'image/*']) assert.equal((await draw({ num_images: 2 }, { accept })).status, 422)
  })

  test('errors list every fault with its location', async () => {
    const answer = await draw({ steps: 0, sampler: 'ddim', foo: 1 })
    assert.equal(answer.status, 422)
    const { error, detail } = await readJson(answer)
    assert.deepEqual(Object.keys(Object(error)), ['message', 'type', 'param', 'code'])
    const places: { loc: string[] }[] = JSON.parse(JSON.stringify(detail))
    assert.deepEqual(
      places.map(({ loc }) => loc),
      [
        ['body', 'steps'],
        ['body', 'sampler'],
        ['body', 'foo'],
      ],
    )
  })

  test('uploaded images are checked before drawing', async () => {
    assert.equal((await draw({ init_image: picture })).status, 200)
    assert.equal((await draw({ init_image: `data:image/png;base64,${picture}`, mask_image: picture })).status, 200)
    for (const space of ['\n', ' ']) assert.equal((await draw({ init_image: `${picture}${space}` })).status, 200)
    for (const init_image of ['AAAA', 'no base64', `${picture.slice(0, -4)}!!!!`, `${picture.slice(0, 8)} ${picture.slice(8)}`]) {
      const answer = await draw({ init_image })
      assert.equal(answer.status, 422)
      assert.equal((await readError(answer)).param, 'init_image')
    }
  })

  test('a prompt is logged only if the request enables it', async () => {
    await draw({ prompt: 'secret' })
    await draw({ prompt: 'public', log_prompt: true })
    assert.deepEqual(service.prompts, ['public'])
  })

  test("OpenAI's route returns the images of the same engine", async () => {
    const ask = (fields: object) => service.fetch('/v1/images/generations', { json: { prompt: 'a tiger', ...fields } })
    const { created, data, ...rest } = await readJson(
      await ask({ model: 'fake-image', n: 2, size: '128x72', seed: 7, steps: 2, negative_prompt: 'blur', user: 'me' }),
    )
    assert.ok(Math.abs(Number(created) - Date.now() / 1000) < 60)
    assert.deepEqual(rest, { model: 'fake-image', background: 'opaque', output_format: 'png', quality: 'medium' })
    const images: { b64_json: string; seed: number }[] = JSON.parse(JSON.stringify(data))
    assert.deepEqual(
      images.map(({ seed }) => seed),
      [7, 8],
    )
    assert.ok(images.every(({ b64_json }) => Buffer.from(b64_json, 'base64').length > 50))
    for (const [fields, code, param] of [
      [{ n: 0 }, 'validation_error', 'n'],
      [{ n: 17 }, 'validation_error', 'n'],
      [{ size: 'large' }, 'validation_error', 'size'],
      [{ size: '65x64' }, 'validation_error', 'size'],
      [{ output_format: 'gif' }, 'validation_error', 'output_format'],
      [{ foo: 1 }, 'validation_error', 'foo'],
      [{ quality: 'max' }, 'validation_error', 'quality'],
      [{ quality: false }, 'validation_error', 'quality'],
      [{ partial_images: 2 }, 'validation_error', 'partial_images'],
      [{ style: 'vivid' }, 'unsupported', 'style'],
      [{ background: 'transparent' }, 'validation_error', 'background'],
      [{ moderation: 'low' }, 'validation_error', 'moderation'],
      [{ stream: true, response_format: 'url' }, 'validation_error', 'response_format'],
    ] as const) {
      const answer = await ask(fields)
      assert.equal(answer.status, 422, JSON.stringify(fields))
      const error = await readError(answer)
      assert.deepEqual([error.code, error.param], [code, param])
    }
    for (const model of ['nobody', 'fake-chat']) {
      const answer = await ask({ model })
      assert.equal(answer.status, 404)
      assert.equal((await readError(answer)).code, 'model_not_found')
    }
    assert.equal((await ask({ stream: false, partial_images: 0, quality: null })).status, 200)
    for (const size of ['auto', null]) assert.equal((await readJson(await ask({ size }))).size, undefined)
  })
})
