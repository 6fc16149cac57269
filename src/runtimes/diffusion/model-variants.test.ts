import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { OnnxEditor } from '../../../test/support/model-files/onnx-editor.ts'
import { drawFile, loadTinyModel } from '../../../test/support/model-files/tiny-image-model.ts'
import { parseReferenceFile, type ReferenceCase } from '../../../test/support/parity/reference-case.ts'
import { type Deviation, replayCase } from '../../../test/support/parity/replay-case.ts'
import { ServiceError } from '../../core/error.ts'
import { loadDiffusionPipeline } from './diffusion-pipeline.ts'
import { readJsonObject } from './onnx/model-file.ts'

const golden = new URL('../../../test/fixtures/golden/', import.meta.url)
const original = fileURLToPath(new URL('tiny-sdxl', golden))
const { signal } = new AbortController()
const references = parseReferenceFile(JSON.parse(await readFile(new URL('parity.json', golden), 'utf8'))).cases
const parent = await mkdtemp(join(tmpdir(), 'sepia-variants-'))
after(() => rm(parent, { recursive: true }))

/** A copy of the tiny model with some of its files edited. */
async function variant(name: string, edits: Record<string, (editor: OnnxEditor, folder: string) => Promise<void> | void>): Promise<string> {
  const folder = join(parent, name)
  await cp(original, folder, { recursive: true })
  for (const [part, edit] of Object.entries(edits)) {
    const file = join(folder, part, 'model.onnx')
    const editor = new OnnxEditor(await readFile(file))
    await edit(editor, join(folder, part))
    await writeFile(file, editor.bytes())
  }
  return folder
}

function reference(name: string): ReferenceCase {
  const found = references.find((each) => each.name === name)
  assert.ok(found)
  return found
}

async function replay(folder: string, name: string, change: Partial<ReferenceCase> = {}): Promise<Deviation> {
  await using pipeline = await loadDiffusionPipeline(folder, { threads: 1, refiner: null, signal })
  const schedulerJson = await readJsonObject(folder, 'scheduler/scheduler_config.json')
  return await replayCase({ folder, pipeline, schedulerJson }, { ...reference(name), ...change }, { signal })
}

async function refusal(folder: string): Promise<string> {
  const error: unknown = await loadDiffusionPipeline(folder, { threads: 1, refiner: null, signal }).then(
    () => null,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof ServiceError)
  assert.equal(error.code, 'inference_failed')
  return error.message
}

test('token ids may be int64 for the first encoder and int32 for the second', async () => {
  const folder = await variant('ids', {
    text_encoder: (editor) => void editor.retypeInput('input_ids', 'int64'),
    text_encoder_2: (editor) => void editor.retypeInput('input_ids', 'int32'),
  })
  assert.ok((await replay(folder, 'K_EULER/4')).latents < 1e-5)
})

for (const type of ['int64', 'float16', 'float64', 'int32'] as const) {
  test(`the timestep may be a ${type} scalar`, async () => {
    const folder = await variant(`timestep-${type}`, { unet: (editor) => void editor.retypeInput('timestep', type, { scalar: true }) })
    assert.ok((await replay(folder, 'DDIM/4')).latents < 1e-5)
  })
}

for (const batch of [1, 2]) {
  test(`the UNet may accept only batches of ${batch}`, async () => {
    const folder = await variant(`batch-${batch}`, { unet: (editor) => void editor.fixSize('sample', 0, batch) })
    for (const name of ['DDIM/4', 'no guidance']) assert.ok((await replay(folder, name)).latents < 1e-5)
  })
}

test('a UNet with the guidance scale as an input is not guided a second time', async () => {
  const folder = await variant('distilled', { unet: (editor) => void editor.addInput('timestep_cond', [1, 256]) })
  assert.ok((await replay(folder, 'no guidance', { guidanceScale: 8 })).latents < 1e-5)
})

test('half-precision weights with float32 inputs and outputs come close to the original', async () => {
  const folder = await variant('fp16-weights', {
    text_encoder: (editor) => void editor.halveWeights(),
    text_encoder_2: (editor) => void editor.halveWeights(),
    unet: (editor) => void editor.halveWeights(),
    vae_decoder: (editor) => void editor.halveWeights(),
  })
  const { latents, pixels } = await replay(folder, 'DDIM/4')
  assert.ok(latents < 0.02, `latents ${latents}`)
  assert.ok(pixels < 16, `pixels ${pixels}`)
})

test('half-precision inputs and outputs come close to the original', async () => {
  const folder = await variant('fp16-io', {
    text_encoder: (editor) => void editor.retypeOutput('hidden_states.3', 'float16'),
    text_encoder_2: (editor) => void editor.retypeOutput('hidden_states.3', 'float16').retypeOutput('text_embeds', 'float16'),
    unet: (editor) => {
      for (const name of ['sample', 'timestep', 'encoder_hidden_states', 'text_embeds', 'time_ids']) editor.retypeInput(name, 'float16')
      editor.retypeOutput('out_sample', 'float16')
    },
    vae_decoder: (editor) => void editor.retypeInput('latent_sample', 'float16').retypeOutput('sample', 'float16'),
    vae_encoder: (editor) => void editor.retypeInput('sample', 'float16').retypeOutput('latent_parameters', 'float16'),
  })
  for (const name of ['DDIM/4', 'image-to-image DDIM']) {
    const { latents } = await replay(folder, name)
    assert.ok(latents > 1e-6 && latents < 0.05, `${name}: latents ${latents}`)
  }
})

test('weights may be in separate files', async () => {
  const folder = await variant('external-data', {
    unet: async (editor, part) => writeFile(join(part, 'model.onnx_data'), editor.moveWeightsOut('model.onnx_data')),
  })
  assert.ok((await readFile(join(folder, 'unet', 'model.onnx'))).length < 1_000_000)
  assert.ok((await replay(folder, 'DDIM/4')).latents < 1e-5)
})

test('an encoder may return a sample instead of its distribution', async () => {
  const folder = await variant('latent-sample', {
    vae_encoder: (editor) => void editor.takeFirstHalf('latent_parameters', 'latent_sample'),
  })
  // The encoder's own sample replaces a random one, so the noise after it differs: only the shape can be compared.
  const { latents } = await replay(folder, 'image-to-image DDIM')
  assert.ok(Number.isFinite(latents) && latents < 2)
})

test('a size whose latents the UNet cannot halve is drawn larger with the same aspect ratio, whatever the configs say', async () => {
  const folder = await variant('no-unet-config', {})
  await rm(join(folder, 'unet', 'config.json'))
  await using model = await loadTinyModel({ folder })
  for (const [width, height] of [
    [72, 88],
    [88, 72],
    [104, 64],
  ] as const) {
    const { width: drawnWidth, height: drawnHeight } = await sharp(await drawFile(model, { width, height })).metadata()
    assert.deepEqual([drawnWidth, drawnHeight], [width, height])
  }
})

test('a UNet that predicts something else than configured is an error, never an image', async () => {
  const folder = await variant('half-prediction', { unet: (editor) => void editor.takeFirstHalf('out_sample', 'half_sample') })
  await using model = await loadTinyModel({ folder })
  for (const guidanceScale of [1, 5])
    await assert.rejects(drawFile(model, { guidanceScale }), { code: 'inference_failed', message: /predicted a wrong size/ })
})

test('a folder with a missing file is rejected with the name of the file', async () => {
  const folder = await variant('no-decoder', {})
  await rm(join(folder, 'vae_decoder', 'model.onnx'))
  assert.match(await refusal(folder), /vae_decoder\/model\.onnx does not load/)
})

test('an encoder without hidden states is rejected', async () => {
  const folder = await variant('no-hidden', { text_encoder: (editor) => void editor.removeOutputs(/^hidden_states/) })
  assert.match(await refusal(folder), /text_encoder\/model\.onnx has no outputs "hidden_states\.0"/)
})

test('a missing first encoder gives the UNet a text that is too narrow', async () => {
  const folder = await variant('one-encoder', {})
  await rm(join(folder, 'text_encoder'), { recursive: true })
  assert.match(await refusal(folder), /unet\/model\.onnx takes "encoder_hidden_states" of width 64, but the text encoders give 32/)
})

test('invalid JSON and unknown options are rejected by file and field', async () => {
  const folder = await variant('bad-json', {})
  await writeFile(join(folder, 'scheduler', 'scheduler_config.json'), '{"beta_schedule":"zigzag"}')
  assert.match(await refusal(folder), /scheduler_config\.json has an unknown "beta_schedule"; known are linear/)
  await writeFile(join(folder, 'scheduler', 'scheduler_config.json'), '{"_class_name":"EDMEulerScheduler"}')
  assert.match(await refusal(folder), /scheduler_config\.json names the EDMEulerScheduler/)
  await writeFile(join(folder, 'scheduler', 'scheduler_config.json'), '{')
  assert.match(await refusal(folder), /scheduler_config\.json is not valid JSON/)
})
