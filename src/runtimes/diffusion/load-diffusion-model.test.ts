import assert from 'node:assert/strict'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sharp from 'sharp'
import { brightnessChecker } from '../../../test/support/model-files/brightness-checker.ts'
import { OnnxEditor } from '../../../test/support/model-files/onnx-editor.ts'
import { drawFile, idle, loadTinyModel, readPixels, tinyFolder, tinyRequest } from '../../../test/support/model-files/tiny-image-model.ts'
import type { ImageProgress } from '../../core/image-generation.ts'

const parent = await mkdtemp(join(tmpdir(), 'sepia-diffusion-'))
after(() => rm(parent, { recursive: true }))
const model = await loadTinyModel()
after(() => model[Symbol.asyncDispose]())

test('an image of another size than the model draws is resized, in every format', async () => {
  await using native = await loadTinyModel({ draws: 'native' })
  for (const encoding of ['png', 'jpeg', 'webp'] as const) {
    const { format, width, height } = await sharp(await drawFile(native, { width: 96, height: 72, encoding })).metadata()
    assert.deepEqual([format, width, height], [encoding, 96, 72])
  }
})

test('a size that the UNet cannot halve is drawn larger and resized', async () => {
  const { width, height } = await sharp(await drawFile(model, { width: 72, height: 88 })).metadata()
  assert.deepEqual([width, height], [72, 88])
})

test('a few-step model uses the timestep spacing of its description', async () => {
  await using fewSteps = await loadTinyModel({ timestepSpacing: 'trailing' })
  const request = { sampler: 'K_EULER', steps: 2, guidanceScale: 1 } as const
  const spaced = await readPixels(await drawFile(fewSteps, request))
  assert.notDeepEqual(spaced, await readPixels(await drawFile(model, request)))
  assert.deepEqual(
    spaced,
    await readPixels(await drawFile(model, { ...request, timestepSpacing: 'trailing' })),
    'the request may set it, too',
  )
})

test('a refiner takes over the last steps', async () => {
  const refiner = join(parent, 'refiner')
  await cp(tinyFolder, refiner, { recursive: true })
  await rm(join(refiner, 'text_encoder'), { recursive: true })
  await rm(join(refiner, 'vae_decoder'), { recursive: true })
  const file = join(refiner, 'unet', 'model.onnx')
  const columns = Array.from({ length: 64 }, (_, i) => i % 32)
  const edited = new OnnxEditor(await readFile(file)).repeatColumns('encoder_hidden_states', 2, columns)
  await writeFile(file, edited.repeatColumns('time_ids', 1, [0, 1, 2, 3, 4, 4]).bytes())
  await using refined = await loadTinyModel({ refiner })
  for (const sampler of ['DDIM', 'HEUN', 'DPM_PLUS_PLUS_2M_KARRAS'] as const) {
    const seen: ImageProgress[] = []
    const request = { ...tinyRequest, sampler, steps: 10 }
    const onProgress = (progress: ImageProgress): void => void seen.push(progress)
    const { images } = await refined.generate({ ...request, refinerStart: 0.5 }, { ...idle, onProgress })
    const total = sampler === 'HEUN' ? 19 : 10
    assert.deepEqual(
      seen.map(({ step }) => step),
      Array.from({ length: total }, (_, i) => i + 1),
    )
    const unrefined = await drawFile(refined, { sampler, steps: 10 })
    assert.notDeepEqual(await readPixels(images[0]?.bytes ?? unrefined), await readPixels(unrefined))
    assert.deepEqual(await readPixels(await drawFile(refined, { sampler, steps: 10, refinerStart: 1 })), await readPixels(unrefined))
  }
})

for (const { limit, unsafe } of [
  { limit: -9, unsafe: true },
  { limit: 9, unsafe: false },
]) {
  test(`a safety checker in the folder ${unsafe ? 'removes flagged images' : 'keeps other images'}`, async () => {
    const guarded = join(parent, `guarded-${unsafe}`)
    await cp(tinyFolder, guarded, { recursive: true })
    await mkdir(join(guarded, 'safety_checker'))
    await writeFile(join(guarded, 'safety_checker', 'model.onnx'), brightnessChecker(limit))
    await using careful = await loadTinyModel({ folder: guarded })
    const { images } = await careful.generate(tinyRequest, idle)
    assert.deepEqual([images[0]?.removedForSafety, images[0]?.safetyScore], [unsafe, unsafe ? 1 : 0])
    assert.equal(images[0]?.bytes.length === 0, unsafe)
  })
}
