import assert from 'node:assert/strict'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../test/support/model-files/golden-checkpoints.ts'
import { openReferencePipeline, pipelineKey } from '../../../../test/support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../../../../test/support/parity/reference-case.ts'
import { isWithinLimits, replayCase } from '../../../../test/support/parity/replay-case.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { loadByteLevelTokenizer } from '../prompts/byte-level-tokenizer.ts'
import { plainPair } from '../prompts/request-prompts.ts'
import { loadUnigramTokenizer } from '../prompts/unigram-tokenizer.ts'
import { readTransformer } from './parts/transformer-parts.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
await unpackGoldenCheckpoints(folder, (path) => !/z_image_turbo_fp8|schnell-fp8/u.test(path), 'transformers')
const text = await readFile(join(folder, 'cases.json'), 'utf8')
const file = parseReferenceFile(JSON.parse(text))
const { signal } = new AbortController()

/** `npm run parity` replays the other cases. */
const chosen = [
  'dev folder 128x128',
  'dev image-to-image',
  'dev, true CFG, negative empty, prompt_2 differs',
  'schnell BFL split, seq 256',
  'folder 128x128, no guidance',
  'image-to-image with guidance',
  'guidance 3, cfg_normalization, cfg_truncation 0.6',
  'inpaint',
  '3.5 folder 128x128',
  '3.5 prompts differ',
  '3.5 clip_skip 1',
  '3.5 inpaint, strength 1',
  '3 without T5',
  'dev flow DPM++ 2M',
  'dev fp8 scaled, T5 fp8 scaled',
  'dev LoRA flux-kohya.safetensors weight 1.0',
  'dev LoRA flux-xlabs.safetensors weight 1.0',
  'LoRA z-image-ai-toolkit.safetensors weight 1.0',
  'LoRA sd3-diffusers.safetensors weight 1.0',
  'dev GGUF Q4_0',
  '3.5 skip-layer guidance',
  'klein folder 128x128',
  'klein inpaint',
  'klein with two reference pictures, guidance 2.5',
  'LoRA flux2-diffusers.safetensors weight 1.0',
  'LoRA on GGUF Q8_0',
  'GGUF z_image_turbo-Q4_0.gguf',
  'GGUF z_image_turbo-sdcpp-q8_0.gguf',
]

const cases = file.cases.filter(({ name }) => chosen.includes(name))

test('reads every reference case', () => {
  assert.deepEqual(file.unreadable, [])
  assert.equal(cases.length, chosen.length)
})

for (const [key, group] of Map.groupBy(cases, pipelineKey)) {
  test(`${key} produces the latents and pixels of diffusers`, async () => {
    const [first] = group
    assert.ok(first)
    await using opened = await openReferencePipeline(folder, first, { threads: 1, signal })
    for (const reference of group) {
      const deviation = await replayCase(opened, reference, { signal })
      assert.ok(isWithinLimits(deviation), `${reference.name}: latents ${deviation.latents}, pixels ${deviation.pixels}`)
    }
  })
}

test('tokenizers split texts like those of the models', async () => {
  const { tokens }: { readonly tokens: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> } = JSON.parse(text)
  const [qwen, t5] = [
    await loadByteLevelTokenizer(join(folder, 'tokenizers/qwen3')),
    await loadUnigramTokenizer(join(folder, 'tokenizers/t5')),
  ]
  for (const [prompt, ids] of Object.entries(tokens.qwen3 ?? {})) assert.deepEqual(qwen.encode(prompt), ids, prompt)
  for (const [prompt, ids] of Object.entries(tokens.t5 ?? {})) assert.deepEqual([...t5.encode(prompt), t5.endId], ids, prompt)
})

test('a truncated text reports the token limit', async () => {
  const [reference] = cases.filter(({ model }) => model === 'z-image-turbo')
  assert.ok(reference)
  await using opened = await openReferencePipeline(folder, reference, { threads: 1, signal })
  const encode = (text: string) =>
    opened.pipeline.base.encode({ positive: plainPair(text, text), negative: null, clipSkip: 0, truncate: false }, { signal })
  assert.equal((await encode('a glossy red apple')).cutAt, undefined)
  assert.equal((await encode('a glossy red apple '.repeat(200))).cutAt, 512)
})

test('Z-Image in a single file is drawn with more noise than Z-Image-Turbo', async () => {
  const path = 'diffusion_models/z_image_turbo_bf16.safetensors'
  const reference = cases.find(({ model }) => model === path)
  const files = Object.fromEntries(Object.entries(reference?.files ?? {}).map(([name, file]) => [name, join(folder, file)]))
  await copyFile(join(folder, path), join(folder, 'diffusion_models/z_image_bf16.safetensors'))
  const shiftOf = async (name: string) => (await readTransformer(join(folder, name), files))?.schedulerConfig.shift
  assert.deepEqual([await shiftOf(path), await shiftOf('diffusion_models/z_image_bf16.safetensors')], [3, 6])
})

test('skipping a block that the model does not have is rejected', async () => {
  const [reference] = cases.filter(({ name }) => name === '3.5 skip-layer guidance')
  assert.ok(reference)
  await using opened = await openReferencePipeline(folder, reference, { threads: 1, signal })
  const assets = { loras: [], textualInversions: [], controlnets: [], vae: null, skippedLayers: [9] }
  await assert.rejects(async () => opened.pipeline.adapt?.(assets, { signal }), { code: 'unsupported', param: 'skip_guidance_layers' })
})

test('a model with a missing part reports its name', async () => {
  const model = { model: 'diffusion_models/flux1-schnell.safetensors', refiner: null }
  const files = { text_encoder: 'text_encoders/clip_l.safetensors' }
  await assert.rejects(openReferencePipeline(folder, { ...model, files }, { threads: 1, signal }), /FLUX\.1 schnell .*T5 XXL/u)
})
