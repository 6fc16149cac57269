import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ggufValue, writeGguf } from '../../../../test/support/model-files/gguf-file.ts'
import { unpackGoldenCheckpoints } from '../../../../test/support/model-files/golden-checkpoints.ts'
import { openReferencePipeline } from '../../../../test/support/parity/open-pipeline.ts'
import { parseReferenceFile } from '../../../../test/support/parity/reference-case.ts'
import { isWithinLimits, replayCase } from '../../../../test/support/parity/replay-case.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { ggmlTypes } from '../../../core/gguf/ggml-types.ts'
import { readWeightFile } from './weights/weight-table.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
await unpackGoldenCheckpoints(
  folder,
  (path) => /^cases|^tokenizers|clip_l|flux1-schnell\.|z_image_turbo_bf16|t5xxl_fp16|qwen_3_4b\.|^vae\/ae/u.test(path),
  'transformers',
)
const { cases } = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
const { signal } = new AbortController()

type Names = readonly (readonly [RegExp, string])[]

/** Tensor names in llama.cpp's files, by their names in transformers. */
const qwen3: Names = [
  [/^model\.embed_tokens\./u, 'token_embd.'],
  [/^model\.norm\./u, 'output_norm.'],
  [/^model\.layers\.(\d+)\.self_attn\.([qk])_norm\./u, 'blk.$1.attn_$2_norm.'],
  [/^model\.layers\.(\d+)\.self_attn\.([qkv])_proj\./u, 'blk.$1.attn_$2.'],
  [/^model\.layers\.(\d+)\.self_attn\.o_proj\./u, 'blk.$1.attn_output.'],
  [/^model\.layers\.(\d+)\.input_layernorm\./u, 'blk.$1.attn_norm.'],
  [/^model\.layers\.(\d+)\.post_attention_layernorm\./u, 'blk.$1.ffn_norm.'],
  [/^model\.layers\.(\d+)\.mlp\.(gate|up|down)_proj\./u, 'blk.$1.ffn_$2.'],
]
const t5: Names = [
  [/^shared\./u, 'token_embd.'],
  [/^encoder\.final_layer_norm\./u, 'enc.output_norm.'],
  [/^encoder\.block\.(\d+)\.layer\.0\.SelfAttention\.relative_attention_bias\./u, 'enc.blk.$1.attn_rel_b.'],
  [/^encoder\.block\.(\d+)\.layer\.0\.SelfAttention\.([qkvo])\./u, 'enc.blk.$1.attn_$2.'],
  [/^encoder\.block\.(\d+)\.layer\.0\.layer_norm\./u, 'enc.blk.$1.attn_norm.'],
  [/^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wi_0\./u, 'enc.blk.$1.ffn_gate.'],
  [/^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wi_1\./u, 'enc.blk.$1.ffn_up.'],
  [/^encoder\.block\.(\d+)\.layer\.1\.DenseReluDense\.wo\./u, 'enc.blk.$1.ffn_down.'],
  [/^encoder\.block\.(\d+)\.layer\.1\.layer_norm\./u, 'enc.blk.$1.ffn_norm.'],
]

/** The same weights in a GGUF file, with the names of llama.cpp's converter. */
async function convert(path: string, architecture: string, names: Names): Promise<string> {
  const [{ tensors }, bytes] = [await readWeightFile(join(folder, path)), await readFile(join(folder, path))]
  const written = [...tensors].map(([name, { type, shape, offset, bytes: length }]) => {
    const rule = names.find(([pattern]) => pattern.test(name))
    assert.ok(rule !== undefined, name)
    const number = [...ggmlTypes].find(([, known]) => known.name === type)?.[0] ?? -1
    return { name: name.replace(...rule), shape: shape.toReversed(), type: number, data: bytes.subarray(offset, offset + length) }
  })
  const file = path.replace(/safetensors$/u, 'gguf')
  await writeFile(join(folder, file), writeGguf([['general.architecture', ggufValue(architecture)]], written))
  return file
}

for (const { model, component, path, architecture, names } of [
  {
    ...{ model: 'diffusion_models/z_image_turbo_bf16.safetensors', component: 'text_encoder' },
    ...{ path: 'text_encoders/qwen_3_4b.safetensors', architecture: 'qwen3', names: qwen3 },
  },
  {
    ...{ model: 'diffusion_models/flux1-schnell.safetensors', component: 'text_encoder_2' },
    ...{ path: 'text_encoders/t5xxl_fp16.safetensors', architecture: 't5encoder', names: t5 },
  },
] as const) {
  test(`a text encoder of the architecture ${architecture} in a GGUF file gives diffusers' pictures`, async () => {
    const reference = cases.find((each) => each.model === model && each.loras.length === 0)
    assert.ok(reference)
    const files = { ...reference.files, [component]: await convert(path, architecture, names) }
    await using opened = await openReferencePipeline(folder, { ...reference, files }, { threads: 1, signal })
    const deviation = await replayCase(opened, reference, { signal })
    assert.ok(isWithinLimits(deviation), `latents ${deviation.latents}, pixels ${deviation.pixels}`)
  })
}
