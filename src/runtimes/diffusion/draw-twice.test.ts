import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { esrganFile } from '../../../test/support/model-files/esrgan-file.ts'
import { unpackGoldenCheckpoints } from '../../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { HighResolution, ImageProgress, ImageRequest } from '../../core/image-generation.ts'
import type { ImageModel } from '../../core/ports/image-model.ts'
import { describeFakeImage } from '../fake/fake-catalog.ts'
import { loadCheckpointPipeline } from './checkpoint/load-checkpoint-pipeline.ts'
import { denoise } from './denoise.ts'
import { drawLatents } from './draw-image.ts'
import { resizeLatents } from './draw-twice.ts'
import { loadDiffusionModel } from './load-diffusion-model.ts'
import { TorchGenerator } from './noise/torch-generator.ts'
import { toRgb } from './pictures/rgb-image.ts'
import { conditionings } from './prepare-drawing.ts'
import { encodePrompts } from './prompts/encode-prompts.ts'
import { promptsToEncode } from './prompts/request-prompts.ts'
import { prepareSolver } from './schedulers/samplers.ts'
import { startAt } from './schedulers/solver.ts'
import { loadUpscalerModel } from './upscaling/load-upscaler-model.ts'
import { decodeLatents } from './vae/latent-colours.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
await unpackGoldenCheckpoints(temporary.path, (path) => path === 'sd15.safetensors' || path === 'sd15-controlnet.safetensors')
const weights = join(temporary.path, 'sd15.safetensors')
const upscalerFile = join(temporary.path, '4x.safetensors')
await writeFile(upscalerFile, esrganFile({ naming: 'new', prefix: '', blocks: 1, doublings: 2, gathered: 1 }))
const { signal } = new AbortController()
const idle = { signal, onProgress: () => undefined }

const descriptor = describeFakeImage({
  id: 'sd15',
  format: 'safetensors',
  folder: weights,
  checkpoint: { family: 'sd15', inpainting: false, weights, prediction: null },
})
const model = await loadDiffusionModel(descriptor, { threads: 1, signal })
after(() => model[Symbol.asyncDispose]())

const first = { width: 64, height: 72 }
const pass: HighResolution = { first, steps: 5, strength: 0.6, upscaler: null }
const twice = (change: Partial<HighResolution> = {}): ImageRequest =>
  makeImageRequest('a fox', { model: 'sd15', width: 128, height: 144, seeds: [7], highResolution: { ...pass, ...change } })

async function pixelsOf(from: ImageModel, request: ImageRequest, options: Partial<Parameters<ImageModel['generate']>[1]> = {}) {
  const { images } = await from.generate(request, { ...idle, ...options })
  const bytes = images[0]?.bytes ?? new Uint8Array()
  return { bytes, pixels: await sharp(bytes).raw().toBuffer() }
}

test('enlarged latents are redrawn as image-to-image would redraw them', async () => {
  const { pixels } = await pixelsOf(model, twice())
  await using pipeline = await loadCheckpointPipeline({ weights, prediction: null }, { threads: 1, refiner: null, signal })
  const request = twice()
  const prompts = await encodePrompts(
    pipeline.base.text,
    promptsToEncode({ prompt: 'a fox', prompt2: 'a fox', negative: null }, { guided: true, zeroNegative: false, clipSkip: 0 }),
    { signal },
  )
  const { sampler, steps, guidanceScale, guidanceRescale } = request
  const { scheduler } = pipeline
  const settings = { sampler, scheduler, steps, guidanceScale, guidanceRescale, prompts, seed: 7, ...first, start: null, refining: null }
  const small = await drawLatents(pipeline, settings, { signal, onStep: async () => undefined })
  const size = { channels: 4, width: 16, height: 18 }
  // Bilinear between pixel centres, for exactly twice the size: a quarter of the neighbour on the nearer side.
  const at = (channel: number, y: number, x: number) =>
    small.latents[(channel * 9 + Math.min(Math.max(y, 0), 8)) * 8 + Math.min(Math.max(x, 0), 7)] ?? 0
  const clean = Float32Array.from({ length: 4 * 18 * 16 }, (_, i) => {
    const [channel, y, x] = [Math.floor(i / 288), Math.floor(i / 16) % 18, i % 16]
    const [row, column] = [y >> 1, x >> 1]
    const [beyondY, beyondX] = [row + (y % 2 ? 1 : -1), column + (x % 2 ? 1 : -1)]
    const line = (r: number) => 0.75 * at(channel, r, column) + 0.25 * at(channel, r, beyondX)
    return 0.75 * line(row) + 0.25 * line(beyondY)
  })
  const solver = prepareSolver(sampler, scheduler, 5)
  const generator = new TorchGenerator(7)
  const noise = generator.normal(clean.length)
  const drawing = {
    ...conditionings(pipeline.base, { prompts, width: 128, height: 144 }),
    ...{ solver, size, generator, guidanceScale, guidanceRescale, inpainting: null, shown: null },
    // With five steps, strength 0.6 runs the last three.
    ...{ begin: 2, end: 5, latents: solver.addNoise(startAt(2), clean, noise) },
  }
  const latents = await denoise({ unet: pipeline.base.unet }, drawing, { signal, onStep: () => undefined })
  const expected = toRgb(await decodeLatents(pipeline, latents, size)).data
  assert.equal(pixels.length, expected.length)
  const worst = pixels.reduce((most, value, i) => Math.max(most, Math.abs(value - (expected[i] ?? 0))), 0)
  assert.ok(worst <= 1, String(worst))
})

test('with an upscaler the image is enlarged and redrawn by image-to-image', async () => {
  const { pixels, bytes } = await pixelsOf(model, twice({ upscaler: '4x' }), { upscaler: { weights: upscalerFile, scale: 4 } })
  assert.match(
    Buffer.from(bytes).toString('latin1'),
    /Size: 64x72, .*Denoising strength: 0.6, Hires upscale: 2, Hires upscaler: 4x, Hires steps: 5/,
  )
  const { highResolution: _, ...plain } = twice()
  const small = await pixelsOf(model, { ...plain, ...first })
  await using upscaler = await loadUpscalerModel({ id: '4x' }, { weights: upscalerFile, scale: 4 }, { threads: 1, provider: 'cpu' })
  const enlarging = { ...twice(), model: '4x', image: small.bytes }
  const large = (await upscaler.enlarge?.(enlarging, { signal, onProgress: () => undefined })) ?? assert.fail()
  const over = await pixelsOf(model, { ...plain, steps: 5, initial: { image: large.images[0]?.bytes ?? assert.fail(), strength: 0.6 } })
  assert.deepEqual(pixels, over.pixels)
})

test('progress counts both passes, previews show each, and batches and a ControlNet apply to both', async () => {
  const seen: ImageProgress[] = []
  const { images } = await model.generate({ ...twice(), seeds: [7, 8], previews: true }, { signal, onProgress: (step) => seen.push(step) })
  assert.deepEqual(
    seen.map(({ step, total }) => [step, total]),
    Array.from({ length: 14 }, (_, i) => [i + 1, 14]),
  )
  const shown = await Promise.all(seen.map(({ preview }) => sharp(preview).metadata()))
  assert.ok(shown.every(({ width, height }) => Math.abs((width ?? 0) / (height ?? 1) - 64 / 72) < 0.02))
  const sizes = await Promise.all(images.map(({ bytes }) => sharp(bytes).metadata()))
  assert.deepEqual(
    sizes.map(({ width, height }) => [width, height]),
    [
      [128, 144],
      [128, 144],
    ],
  )
  const image = images[0]?.bytes ?? new Uint8Array()
  const controlnets = [{ name: 'edges', image, scale: 1, until: 1, preprocess: false }]
  const file = join(temporary.path, 'sd15-controlnet.safetensors')
  const assets = [{ kind: 'controlnet', name: 'edges', file, family: 'sd15', bytes: 1, created: 0 }] as const
  const controlled = await pixelsOf(model, { ...twice(), controlnets }, { assets })
  assert.notDeepEqual(controlled.pixels, (await pixelsOf(model, twice())).pixels)
})

test('an upscaler removed since the request was accepted is reported by name', async () => {
  await assert.rejects(model.generate(twice({ upscaler: 'gone' }), idle), /The upscaler gone is no longer installed/)
})

test('latents are interpolated as in PyTorch', () => {
  const size = { channels: 2, width: 2, height: 2 }
  const larger = resizeLatents(Float32Array.of(1, 2, 3, 4, 0, 0, 0, 8), size, { ...size, width: 4, height: 4 })
  // torch.nn.functional.interpolate(…, size=(4, 4), mode='bilinear', align_corners=False)
  const first = [1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4]
  const second = [0, 0, 0, 0, 0, 0.5, 1.5, 2, 0, 1.5, 4.5, 6, 0, 2, 6, 8]
  assert.deepEqual([...larger], [...first, ...second])
})

test('another aspect ratio stretches the image, and the same size changes nothing', () => {
  const row = { channels: 1, width: 4, height: 1 }
  const values = Float32Array.of(0, 3, 6, 9)
  assert.deepEqual(
    [...resizeLatents(values, row, { ...row, width: 6, height: 2 })].slice(0, 6),
    [0, 1.5, 3.5, 5.5, 7.5, 9].map(Math.fround),
  )
  assert.deepEqual(resizeLatents(values, row, row), values)
})
