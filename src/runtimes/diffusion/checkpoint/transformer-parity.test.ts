import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openReferencePipeline, pipelineKey } from '../parity/open-pipeline.ts'
import { parseReferenceFile } from '../parity/reference-case.ts'
import { isWithinLimits, replayCase } from '../parity/replay-case.ts'
import { loadByteLevelTokenizer } from '../prompts/byte-level-tokenizer.ts'
import { loadUnigramTokenizer } from '../prompts/unigram-tokenizer.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
await unpackGoldenCheckpoints(folder, (path) => !/klein|z_image_turbo_fp8|schnell-fp8/u.test(path), 'transformers')
const text = await readFile(join(folder, 'cases.json'), 'utf8')
const file = parseReferenceFile(JSON.parse(text))
const { signal } = new AbortController()

/** The rest is replayed by `npm run parity`. */
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
  'LoRA on GGUF Q8_0',
  'GGUF z_image_turbo-Q4_0.gguf',
  'GGUF z_image_turbo-sdcpp-q8_0.gguf',
]

const cases = file.cases.filter(({ name }) => chosen.includes(name))

test('every reference case can be read', () => {
  assert.deepEqual(file.unreadable, [])
  assert.equal(cases.length, chosen.length)
})

for (const [key, group] of Map.groupBy(cases, pipelineKey)) {
  test(`${key} draws the latents and pixels of diffusers`, async () => {
    const [first] = group
    assert.ok(first)
    await using opened = await openReferencePipeline(folder, first, { threads: 1, signal })
    for (const reference of group) {
      const deviation = await replayCase(opened, reference, { signal })
      assert.ok(isWithinLimits(deviation), `${reference.name}: latents ${deviation.latents}, pixels ${deviation.pixels}`)
    }
  })
}

test('tokenizers part texts as those of the models do', async () => {
  const { tokens }: { readonly tokens: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> } = JSON.parse(text)
  const [qwen, t5] = [
    await loadByteLevelTokenizer(join(folder, 'tokenizers/qwen3')),
    await loadUnigramTokenizer(join(folder, 'tokenizers/t5')),
  ]
  for (const [prompt, ids] of Object.entries(tokens.qwen3 ?? {})) assert.deepEqual(qwen.encode(prompt), ids, prompt)
  for (const [prompt, ids] of Object.entries(tokens.t5 ?? {})) assert.deepEqual([...t5.encode(prompt), t5.endId], ids, prompt)
})

test('a model that lacks a part names it', async () => {
  const model = { model: 'diffusion_models/flux1-schnell.safetensors', refiner: null }
  const files = { text_encoder: 'text_encoders/clip_l.safetensors' }
  await assert.rejects(openReferencePipeline(folder, { ...model, files }, { threads: 1, signal }), /FLUX\.1 schnell .*T5 XXL/u)
})
