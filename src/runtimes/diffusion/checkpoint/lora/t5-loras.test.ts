import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../../test/support/model-files/golden-checkpoints.ts'
import { readStoredTensors, type StoredTensor, storedFile } from '../../../../../test/support/model-files/safetensors-file.ts'
import { openReferencePipeline } from '../../../../../test/support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../../../../../test/support/parity/reference-case.ts'
import { createTemporaryFolder } from '../../../../../test/support/temporary-folder.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
const [dev, sd3] = ['diffusion_models/flux1-dev.safetensors', 'checkpoints/sd3.5_medium.safetensors']
const wanted = new RegExp(`^(?:${dev}|${sd3}|text_encoders/(?:clip_.|t5xxl_fp16)\\.|vae/|tokenizers/t5|cases\\.json)`, 'u')
await unpackGoldenCheckpoints(folder, (path) => wanted.test(path), 'transformers')
const { cases } = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
const { signal } = new AbortController()

const module = 'encoder.block.0.layer.1.DenseReluDense.wi_0'
const [t5, merged] = ['text_encoders/t5xxl_fp16.safetensors', 'text_encoders/t5xxl_merged.safetensors']
const tensors = await readStoredTensors(join(folder, t5))
const weight = tensors.find(({ name }) => name === `${module}.weight`)
assert.ok(weight)
const [rows = 0, columns = 0] = weight.shape
const floats = (name: string, shape: readonly number[], values: Float32Array<ArrayBuffer>): StoredTensor => {
  return { name, shape, dtype: 'F32', bytes: new Uint8Array(values.buffer) }
}
const down = Float32Array.from({ length: columns }, (_, i) => Math.sin(i))
const up = Float32Array.from({ length: rows }, (_, i) => Math.cos(i))

async function writeLora(name: string, layer: string, [first, second]: readonly [string, string]): Promise<void> {
  const pair = [floats(`${layer}.${first}`, [1, columns], down), floats(`${layer}.${second}`, [rows, 1], up)]
  await writeFile(join(folder, `${name}.safetensors`), storedFile(pair))
}

/** A text as a model reads it, with this T5 and each of these LoRAs (null = none). */
async function read(model: string, encoder: string, loras: readonly (string | null)[]): Promise<readonly Float32Array[]> {
  const reference = cases.find((each) => each.model === model && Object.values(each.files).some((file) => file.includes('t5xxl')))
  assert.ok(reference)
  const files = Object.entries(reference.files).map(([part, file]) => [part, file.includes('t5xxl') ? encoder : file])
  await using opened = await openReferencePipeline(folder, { ...reference, files: Object.fromEntries(files) }, { threads: 1, signal })
  const text = [{ text: 'a glossy red apple', weight: 1 }]
  const prompts = { positive: { first: text, second: text }, negative: null, clipSkip: 0, truncate: true } as const
  const seen: Float32Array[] = []
  for (const lora of loras) {
    const used = lora === null ? [] : [{ file: join(folder, lora), weight: 0.5 }]
    const assets = { loras: used, textualInversions: [], controlnets: [], vae: null }
    const adapted = await opened.pipeline.adapt?.(assets, { signal })
    assert.ok(adapted)
    seen.push((await adapted.base.encode(prompts, { signal })).positive.hidden)
  }
  return seen
}

function apart(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] ?? 0))), 0)
}

const half = new Float16Array(Uint8Array.from(weight.bytes).buffer)
const sum = Float32Array.from(half, (value, at) => value + 0.5 * (up[Math.floor(at / columns)] ?? 0) * (down[at % columns] ?? 0))
await writeFile(join(folder, merged), storedFile(tensors.map((each) => (each === weight ? floats(weight.name, weight.shape, sum) : each))))

for (const [model, family, names] of [
  [dev, 'FLUX', ['lora_te2_', 'lora_te3_', 'text_encoder_2.']],
  [sd3, 'Stable Diffusion 3', ['lora_te3_', 'text_encoder_3.']],
] as const)
  test(`${family} applies LoRAs for T5, by each name that trainers use`, { timeout: 300_000 }, async () => {
    for (const prefix of names) {
      const isDotted = prefix.endsWith('.')
      const layer = prefix + (isDotted ? module : module.replaceAll('.', '_'))
      await writeLora(prefix, layer, isDotted ? ['lora_A.weight', 'lora_B.weight'] : ['lora_down.weight', 'lora_up.weight'])
    }
    const [expected] = await read(model, merged, [null])
    const [plain, ...seen] = await read(model, t5, [null, ...names.map((prefix) => `${prefix}.safetensors`)])
    assert.ok(expected && plain && apart(plain, expected) > 1e-2)
    for (const [i, hidden] of seen.entries()) assert.ok(apart(hidden, expected) < 1e-4, `${names[i]}: ${apart(hidden, expected)}`)
    assert.equal(seen.length, names.length)
  })
