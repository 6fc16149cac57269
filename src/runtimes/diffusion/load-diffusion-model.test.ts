import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { brightnessChecker } from '../../../test/support/brightness-checker.ts'
import { OnnxEditor } from '../../../test/support/onnx-editor.ts'
import type { ImageProgress, ImageRequest } from '../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../core/model.ts'
import { loadDiffusionModel } from './load-diffusion-model.ts'

const folder = fileURLToPath(new URL('../../../test/fixtures/golden/tiny-sdxl', import.meta.url))
const parent = await mkdtemp(join(tmpdir(), 'sepia-diffusion-'))
after(() => rm(parent, { recursive: true }))

const descriptor: ImageModelDescriptor = {
  kind: 'image',
  format: 'onnx-sdxl',
  id: 'tiny',
  name: 'Tiny',
  folder,
  license: null,
  bytes: 0,
  created: 0,
  native: { width: 64, height: 64 },
  draws: 'requested',
  sizes: { type: 'range', min: 32, max: 128 },
  defaults: { steps: 4, guidanceScale: 5, sampler: 'DDIM' },
  refiner: null,
}

const plain: ImageRequest = {
  model: 'tiny',
  prompt: 'a red apple',
  prompt2: null,
  negativePrompt: null,
  negativePrompt2: null,
  width: 64,
  height: 64,
  steps: 4,
  guidanceScale: 5,
  seeds: [7],
  sampler: 'DDIM',
  encoding: 'png',
  clipSkip: null,
  stylePreset: null,
  initial: null,
  mask: null,
  refinerStart: null,
  previews: false,
}

const idle = { signal: new AbortController().signal, onProgress: (): void => undefined }
const model = await loadDiffusionModel(descriptor, { threads: 1, signal: idle.signal })
after(() => model[Symbol.asyncDispose]())

async function draw(request: Partial<ImageRequest>, drawer = model): Promise<Buffer> {
  const { images } = await drawer.generate({ ...plain, ...request }, idle)
  return Buffer.from(images[0]?.bytes ?? [])
}

/** The colours of a picture, three bytes per pixel. */
const pixels = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).removeAlpha().raw().toBuffer()

function square(background: string, inner?: { readonly colour: string; readonly left: number; readonly side: number }): Promise<Buffer> {
  const outer = sharp({ create: { width: 64, height: 64, channels: 3, background } })
  if (inner === undefined) return outer.png().toBuffer()
  const input = { create: { width: inner.side, height: inner.side, channels: 3 as const, background: inner.colour } }
  return outer
    .composite([{ input, left: inner.left, top: inner.left }])
    .png()
    .toBuffer()
}

test('each seed gives its own picture, whatever the other seeds are, and the same one again', async () => {
  const { images, computeMs } = await model.generate({ ...plain, seeds: [1, 2] }, idle)
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
  assert.deepEqual(Buffer.from(images[1]?.bytes ?? []), await draw({ seeds: [2] }))
  assert.notDeepEqual(images[0]?.bytes, images[1]?.bytes)
})

test('progress counts the steps of all images, with a small JPEG when previews are wanted', async () => {
  const seen: ImageProgress[] = []
  await model.generate({ ...plain, seeds: [1, 2], previews: true }, { ...idle, onProgress: (progress) => seen.push(progress) })
  assert.deepEqual(
    seen.map(({ step, total }) => [step, total]),
    Array.from({ length: 8 }, (_, i) => [i + 1, 8]),
  )
  const { format, width } = await sharp(seen[7]?.preview).metadata()
  assert.deepEqual([format, width], ['jpeg', 64])
})

test('an abort stops before the next step, with the reason of the signal', async () => {
  const controller = new AbortController()
  const reason = new Error('the client left')
  let steps = 0
  const onProgress = (): void => {
    steps++
    if (steps === 2) controller.abort(reason)
  }
  await assert.rejects(model.generate({ ...plain, steps: 30 }, { signal: controller.signal, onProgress }), reason)
  assert.equal(steps, 2)
})

test('a picture of another size than drawn is resized, in every format', async () => {
  await using native = await loadDiffusionModel({ ...descriptor, draws: 'native' }, { threads: 1, signal: idle.signal })
  for (const encoding of ['png', 'jpeg', 'webp'] as const) {
    const { format, width, height } = await sharp(await draw({ width: 96, height: 72, encoding }, native)).metadata()
    assert.deepEqual([format, width, height], [encoding, 96, 72])
  }
})

test('a size that the UNet cannot halve is drawn larger and resized', async () => {
  const { width, height } = await sharp(await draw({ width: 72, height: 88 })).metadata()
  assert.deepEqual([width, height], [72, 88])
})

test('a few-step model is drawn with the spacing its description asks for', async () => {
  await using fewSteps = await loadDiffusionModel({ ...descriptor, timestepSpacing: 'trailing' }, { threads: 1, signal: idle.signal })
  const request = { sampler: 'K_EULER', steps: 2, guidanceScale: 1 } as const
  assert.notDeepEqual(await pixels(await draw(request, fewSteps)), await pixels(await draw(request)))
})

test('looks, weights, second prompts and skipped layers change the picture', async () => {
  const base = await draw({})
  for (const change of [
    { stylePreset: 'origami' },
    { prompt: 'a (red:1.5) apple' },
    { prompt2: 'a dog' },
    { clipSkip: 1 },
    { negativePrompt: 'dog' },
  ])
    assert.notDeepEqual(await draw(change), base, JSON.stringify(change))
})

test('prompts of several chunks are drawn, and their end counts', async () => {
  const long = 'a red apple on a blue background, '.repeat(20)
  assert.notDeepEqual(await pixels(await draw({ prompt: `${long} dog` })), await pixels(await draw({ prompt: `${long} cat` })))
})

test('what the model cannot honour is refused by field', async () => {
  const refused = (request: Partial<ImageRequest>, code: string, param: string): Promise<void> =>
    assert.rejects(draw(request), { name: 'ServiceError', code, param })
  await refused({ clipSkip: 9 }, 'unsupported', 'clip_skip')
  await refused({ refinerStart: 0.8 }, 'unsupported', 'use_refiner')
  await refused({ sampler: 'LCM', steps: 51 }, 'validation_error', 'steps')
  await refused({ stylePreset: 'no-such-look' }, 'validation_error', 'style_preset')
  const image = await square('#888888')
  await refused({ initial: { image, strength: 0.1 } }, 'validation_error', 'strength')
  const mask = { image: await square('#000000'), fullResolution: true, padding: 8, outpainting: false }
  await refused({ initial: { image, strength: 0.8 }, mask }, 'validation_error', 'mask_image')
})

test('an image that does not decode is refused', async () => {
  const whole = await square('#888888')
  const broken = Buffer.concat([whole.subarray(0, whole.length / 2), Buffer.alloc(40)])
  await assert.rejects(draw({ initial: { image: broken, strength: 0.8 } }), { code: 'validation_error' })
  await assert.rejects(draw({ initial: { image: Buffer.from('no image'), strength: 0.8 } }), { code: 'validation_error' })
})

test('numbers that overflow are an error, never a black picture', async () => {
  await assert.rejects(draw({ guidanceScale: 1e38 }), { code: 'numerical_error' })
})

test('grey, transparent and larger pictures can be started from', async () => {
  const grey = await sharp({ create: { width: 100, height: 40, channels: 3, background: '#777777' } })
    .greyscale()
    .toColourspace('b-w')
    .png()
    .toBuffer()
  const transparent = await sharp({ create: { width: 10, height: 10, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } } })
    .webp()
    .toBuffer()
  for (const image of [grey, transparent]) {
    const { width } = await sharp(await draw({ initial: { image, strength: 0.5 } })).metadata()
    assert.equal(width, 64)
  }
})

test('repainting at full resolution leaves everything outside the mask untouched', async () => {
  const image = await square('#3366cc', { colour: '#ffcc00', left: 8, side: 20 })
  const mask = {
    image: await square('#000000', { colour: '#ffffff', left: 40, side: 16 }),
    fullResolution: true,
    padding: 4,
    outpainting: false,
  }
  const before = await pixels(image)
  const drawn = await pixels(await draw({ initial: { image, strength: 1 }, mask }))
  const inside = (i: number): boolean => i % 64 >= 40 && i % 64 < 56 && i / 64 >= 40 && i / 64 < 56
  let changed = 0
  for (let i = 0; i < 64 * 64; i++) {
    const same = before.subarray(i * 3, i * 3 + 3).equals(drawn.subarray(i * 3, i * 3 + 3))
    if (!inside(i)) assert.ok(same, `pixel ${i}`)
    else if (!same) changed++
  }
  assert.ok(changed > 200)
})

test('outpainting starts from the edges of the picture instead of what lies under the mask', async () => {
  const mask = { image: await square('#ffffff', { colour: '#000000', left: 16, side: 32 }), fullResolution: false, padding: 0 }
  const pictures = await Promise.all(['#000000', '#ffffff'].map((colour) => square(colour, { colour: '#3366cc', left: 16, side: 32 })))
  const drawn = async (outpainting: boolean): Promise<readonly Buffer[]> => {
    const results: Buffer[] = []
    for (const image of pictures)
      results.push(await pixels(await draw({ initial: { image, strength: 0.5 }, mask: { ...mask, outpainting } })))
    return results
  }
  const [dark, bright] = await drawn(true)
  assert.deepEqual(dark, bright)
  const [darkUnder, brightUnder] = await drawn(false)
  assert.notDeepEqual(darkUnder, brightUnder)
})

test('a refiner takes over the last steps', async () => {
  const refiner = join(parent, 'refiner')
  await cp(folder, refiner, { recursive: true })
  await rm(join(refiner, 'text_encoder'), { recursive: true })
  await rm(join(refiner, 'vae_decoder'), { recursive: true })
  const file = join(refiner, 'unet', 'model.onnx')
  const columns = Array.from({ length: 64 }, (_, i) => i % 32)
  const edited = new OnnxEditor(await readFile(file)).repeatColumns('encoder_hidden_states', 2, columns)
  await writeFile(file, edited.repeatColumns('time_ids', 1, [0, 1, 2, 3, 4, 4]).bytes())
  await using refined = await loadDiffusionModel({ ...descriptor, refiner }, { threads: 1, signal: idle.signal })
  for (const sampler of ['DDIM', 'HEUN', 'DPM_PLUS_PLUS_2M_KARRAS'] as const) {
    const seen: ImageProgress[] = []
    const request = { ...plain, sampler, steps: 10 }
    const onProgress = (progress: ImageProgress): void => void seen.push(progress)
    const { images } = await refined.generate({ ...request, refinerStart: 0.5 }, { ...idle, onProgress })
    const total = sampler === 'HEUN' ? 19 : 10
    assert.deepEqual(
      seen.map(({ step }) => step),
      Array.from({ length: total }, (_, i) => i + 1),
    )
    const unrefined = await draw({ sampler, steps: 10 }, refined)
    assert.notDeepEqual(await pixels(images[0]?.bytes ?? unrefined), await pixels(unrefined))
    assert.deepEqual(await pixels(await draw({ sampler, steps: 10, refinerStart: 1 }, refined)), await pixels(unrefined))
  }
})

for (const { limit, unsafe } of [
  { limit: -9, unsafe: true },
  { limit: 9, unsafe: false },
]) {
  test(`a safety checker in the folder ${unsafe ? 'removes what it objects to' : 'lets the rest pass'}`, async () => {
    const guarded = join(parent, `guarded-${unsafe}`)
    await cp(folder, guarded, { recursive: true })
    await mkdir(join(guarded, 'safety_checker'))
    await writeFile(join(guarded, 'safety_checker', 'model.onnx'), brightnessChecker(limit))
    await using careful = await loadDiffusionModel({ ...descriptor, folder: guarded }, { threads: 1, signal: idle.signal })
    const { images } = await careful.generate(plain, idle)
    assert.deepEqual([images[0]?.removedForSafety, images[0]?.safetyScore], [unsafe, unsafe ? 1 : 0])
    assert.equal(images[0]?.bytes.length === 0, unsafe)
  })
}
