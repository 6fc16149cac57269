import assert from 'node:assert/strict'
import { copyFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../../test/support/model-files/golden-checkpoints.ts'
import { safetensorsFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'
import { readCheckpoint } from '../parts/read-checkpoint.ts'
import { LoraCache } from './lora-cache.ts'
import { loraTargets, readLoraKey } from './lora-modules.ts'
import { readPeftScale } from './read-lora.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const wanted = [
  'xl.safetensors',
  'dora.safetensors',
  'loha.safetensors',
  'sd15-lora-kohya.safetensors',
  'lora-kohya.safetensors',
  'lora-peft.safetensors',
]
await unpackGoldenCheckpoints(temporary.path, (path) => wanted.includes(path))
const oft = { name: 'lora_unet_mid_block_attentions_0_proj_in.oft_blocks', shape: [2, 2, 2], values: new Float32Array(8) }
await writeFile(join(temporary.path, 'oft.safetensors'), safetensorsFile([oft]))
const targets = loraTargets(await readCheckpoint(join(temporary.path, 'xl.safetensors')))
const options = { signal: new AbortController().signal }

for (const [file, expected] of [
  ['oft.safetensors', /of the kind OFT/],
  ['sd15-lora-kohya.safetensors', /another family/],
  ['xl.safetensors', /belongs to no LoRA/],
] as const) {
  test(`${file} is rejected as a LoRA for SDXL`, async () => {
    await assert.rejects(new LoraCache(targets).get(join(temporary.path, file), options), (error: Error & { code?: string }) => {
      return error.code === 'unsupported' && expected.test(error.message)
    })
  })
}

test('DoRA, LoHa and bundled textual inversions are read, with the trigger words of the inversions', async () => {
  const cache = new LoraCache(targets)
  for (const [file, kind] of [
    ['dora.safetensors', 'columns'],
    ['loha.safetensors', 'plain'],
  ] as const) {
    const { modules } = await cache.get(join(temporary.path, file), options)
    const [first] = modules
    assert.equal(first?.kind === 'factors' && first.magnitude?.of === 'inputs', kind === 'columns')
  }
  const tensor = (name: string, width: number) => ({
    name: `bundle_emb.my style.${name}`,
    shape: [2, width],
    values: new Float32Array(2 * width),
  })
  const path = join(temporary.path, 'bundled.safetensors')
  await writeFile(path, safetensorsFile([tensor('clip_l', 4), tensor('clip_g', 6)]))
  const [embedding] = (await cache.get(path, options)).embeddings
  assert.deepEqual([embedding?.trigger, embedding?.first?.[1]?.length, embedding?.second?.length], ['my style', 4, 2])
})

test('a LoRA is read once, and the oldest is evicted when the budget is full', async () => {
  const [first, second] = [join(temporary.path, 'lora-kohya.safetensors'), join(temporary.path, 'lora-peft.safetensors')]
  const roomy = new LoraCache(targets)
  assert.equal(await roomy.get(first, options), await roomy.get(first, options))
  const { bytes } = await roomy.get(first, options)
  const tight = new LoraCache(targets, bytes)
  const before = await tight.get(first, options)
  const other = await tight.get(second, options)
  assert.equal(tight.bytes, other.bytes)
  assert.notEqual(await tight.get(first, options), before)
})

test('the same LoRA under another name is kept once, and a changed file is read again', async () => {
  const [file, copy] = [join(temporary.path, 'lora-kohya.safetensors'), join(temporary.path, 'renamed.safetensors')]
  await copyFile(file, copy)
  const cache = new LoraCache(targets)
  const lora = await cache.get(file, options)
  assert.equal(await cache.get(copy, options), lora)
  await copyFile(join(temporary.path, 'lora-peft.safetensors'), copy)
  assert.notEqual(await cache.get(copy, options), lora)
  await assert.rejects(cache.get(join(temporary.path, 'absent.safetensors'), options), /absent\.safetensors is missing or cannot be read/)
})

test('key names of every file format map to a module and a part', () => {
  const read = (name: string) => Object.values(readLoraKey(name) ?? {}).join(' ')
  assert.equal(read('lora_unet_mid_block_attentions_0_proj_in.lora_down.weight'), 'lora_unet_mid_block_attentions_0_proj_in down')
  assert.equal(read('unet.mid_block.attentions.0.proj_in.lora_B.weight'), 'unet.mid_block.attentions.0.proj_in up')
  assert.equal(read('unet.up.0.attn1.processor.to_out_lora.up.weight'), 'unet.up.0.attn1.to_out.0 up')
  assert.equal(read('text_encoder.text_model.q_proj.lora_linear_layer.down.weight'), 'text_encoder.text_model.q_proj down')
  assert.equal(read('lora_te1_x.alpha'), 'lora_te1_x alpha')
  assert.equal(readLoraKey('model.diffusion_model.out.0.weight'), null)
})

test("the scale of peft's adapters is read from their metadata", () => {
  const scale = readPeftScale(
    new Map([['lora_adapter_metadata', JSON.stringify({ 'unet.r': 4, 'unet.lora_alpha': 2, 'unet.alpha_pattern': { to_q: 8 } })]]),
  )
  assert.equal(scale('unet.mid_block.attn1.to_k', 4), 0.5)
  assert.equal(scale('unet.mid_block.attn1.to_q', 4), 2)
  assert.equal(scale('text_encoder.x', 4), 1)
  assert.equal(readPeftScale(new Map([['lora_adapter_metadata', 'not JSON']]))('unet.x', 4), 1)
})
