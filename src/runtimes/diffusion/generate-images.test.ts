import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { drawFile, idle, loadTinyModel, paintSquare, readPixels, tinyRequest } from '../../../test/support/model-files/tiny-image-model.ts'
import type { ImageProgress, ImageRequest } from '../../core/image-generation.ts'
import { GuidedUnet } from './unet/guided-unet.ts'
import { VaeDecoder } from './vae/vae-decoder.ts'

const model = await loadTinyModel()
after(() => model[Symbol.asyncDispose]())

test('each seed gives its own reproducible image, independent of the other seeds', async () => {
  const { images, computeMs } = await model.generate({ ...tinyRequest, seeds: [1, 2] }, idle)
  assert.deepEqual(
    images.map(({ seed, width, height, encoding, removedForSafety, safetyScore }) => [
      seed,
      width,
      height,
      encoding,
      removedForSafety,
      safetyScore,
    ]),
    [
      [1, 64, 64, 'png', false, null],
      [2, 64, 64, 'png', false, null],
    ],
  )
  assert.ok(computeMs > 0)
  assert.deepEqual(Buffer.from(images[1]?.bytes ?? []), await drawFile(model, { seeds: [2] }))
  assert.notDeepEqual(images[0]?.bytes, images[1]?.bytes)
})

test('progress counts the steps of all images, with a small JPEG when previews are requested', async () => {
  const seen: ImageProgress[] = []
  await model.generate({ ...tinyRequest, seeds: [1, 2], previews: true }, { ...idle, onProgress: (progress) => seen.push(progress) })
  assert.deepEqual(
    seen.map(({ step, total }) => [step, total]),
    Array.from({ length: 8 }, (_, i) => [i + 1, 8]),
  )
  const { format, width } = await sharp(seen[7]?.preview).metadata()
  assert.deepEqual([format, width], ['jpeg', 64])
})

test('images of a request are drawn in one batch where the device takes several', async ({ mock }) => {
  mock.method(GuidedUnet.prototype, 'picturesPerBatch', () => 2)
  const together = mock.method(GuidedUnet.prototype, 'prepareTogether')
  const { images } = await model.generate({ ...tinyRequest, seeds: [1, 2, 3] }, idle)
  assert.deepEqual(
    images.map(({ seed }) => seed),
    [1, 2, 3],
  )
  assert.deepEqual(
    together.mock.calls.map(({ arguments: [, members] }) => members),
    [2],
  )
  await model.generate({ ...tinyRequest, seeds: [1, 2], initial: { image: await paintSquare('#888888'), strength: 0.5 } }, idle)
  assert.equal(together.mock.callCount(), 1)
})

test('a request with a failed image ends once the others of its batch have ended', async ({ mock }) => {
  mock.method(GuidedUnet.prototype, 'picturesPerBatch', () => 2)
  const failure = new Error('out of memory')
  const decode = VaeDecoder.prototype.decode
  let [begun, ended] = [0, 0]
  mock.method(VaeDecoder.prototype, 'decode', async function (this: VaeDecoder, ...latents: Parameters<typeof decode>) {
    if (begun++ === 0) throw failure
    await decode.apply(this, latents)
    ended++
  })
  await assert.rejects(model.generate({ ...tinyRequest, seeds: [1, 2] }, idle), failure)
  assert.equal(ended, begun - 1)
})

test('an abort stops before the next step, with the reason of the signal', async () => {
  const controller = new AbortController()
  const reason = new Error('the client left')
  let steps = 0
  const onProgress = (): void => {
    steps++
    if (steps === 2) controller.abort(reason)
  }
  await assert.rejects(model.generate({ ...tinyRequest, steps: 30 }, { signal: controller.signal, onProgress }), reason)
  assert.equal(steps, 2)
})

test('style presets, weights, second prompts and skipped layers change the image', async () => {
  const base = await drawFile(model, {})
  for (const change of [
    { stylePreset: 'origami' },
    { prompt: 'a (red:1.5) apple' },
    { prompt2: 'a dog' },
    { clipSkip: 1 },
    { negative: { prompt: 'dog', prompt2: 'dog' } },
    { guidanceRescale: 0.7 },
  ])
    assert.notDeepEqual(await drawFile(model, change), base, JSON.stringify(change))
})

test('prompts of several chunks are used up to their end', async () => {
  const long = 'a red apple on a blue background, '.repeat(20)
  assert.notDeepEqual(
    await readPixels(await drawFile(model, { prompt: `${long} dog` })),
    await readPixels(await drawFile(model, { prompt: `${long} cat` })),
  )
})

test('unsupported options are rejected by field', async () => {
  const refused = (request: Partial<ImageRequest>, code: string, param: string): Promise<void> =>
    assert.rejects(drawFile(model, request), { name: 'ServiceError', code, param })
  await refused({ clipSkip: 9 }, 'unsupported', 'clip_skip')
  await refused({ refinerStart: 0.8 }, 'unsupported', 'use_refiner')
  await refused({ sampler: 'LCM', steps: 51 }, 'validation_error', 'steps')
  await refused({ stylePreset: 'no-such-look' }, 'validation_error', 'style_preset')
  const image = await paintSquare('#888888')
  await refused({ initial: { image, strength: 0.1 } }, 'validation_error', 'strength')
  const mask = { image: await paintSquare('#000000'), fullResolution: true, padding: 8, outpainting: false, blur: 0 }
  await refused({ initial: { image, strength: 0.8 }, mask }, 'validation_error', 'mask_image')
})

test('numbers that overflow are an error, never a black image', async () => {
  await assert.rejects(drawFile(model, { guidanceScale: 1e38 }), { code: 'numerical_error' })
})

test('an abort ends all images of a request', async () => {
  const controller = new AbortController()
  const reason = new Error('the client left')
  const onProgress = ({ step }: ImageProgress): void => {
    if (step === 40) controller.abort(reason)
  }
  await assert.rejects(model.generate({ ...tinyRequest, steps: 30, seeds: [1, 2, 3] }, { signal: controller.signal, onProgress }), reason)
})
