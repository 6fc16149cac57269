import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../test/support/model-files/golden-checkpoints.ts'
import { readStoredTensors, type StoredTensor, storedFile } from '../../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { openReferencePipeline } from '../parity/open-pipeline.ts'
import { parseReferenceFile, type ReferenceCase } from '../parity/reference-case.ts'
import { replayCase } from '../parity/replay-case.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
const [dev, zImage] = ['diffusion_models/flux1-dev.safetensors', 'diffusion_models/z_image_turbo_bf16.safetensors']
const wanted = new RegExp(`${dev}|${zImage}|text_encoders/(?:clip_l|t5xxl_fp16|qwen_3_4b\\.)|vae/ae|tokenizers|cases\\.json`, 'u')
await unpackGoldenCheckpoints(folder, (path) => wanted.test(path), 'transformers')
const { cases } = parseReferenceFile(JSON.parse(await readFile(join(folder, 'cases.json'), 'utf8')))
const { signal } = new AbortController()

const without = (pattern: RegExp) => (tensors: readonly StoredTensor[]) => tensors.filter(({ name }) => !pattern.test(name))
const halved = (wanted: string) => (tensors: readonly StoredTensor[]) =>
  tensors.map((tensor) => {
    if (tensor.name !== wanted) return tensor
    const [rows = 0, ...rest] = tensor.shape
    return { ...tensor, shape: [rows / 2, ...rest], bytes: tensor.bytes.subarray(0, tensor.bytes.length / 2) }
  })

const damages: readonly (readonly [
  what: string,
  file: string,
  damage: (tensors: readonly StoredTensor[]) => readonly StoredTensor[],
  answer: RegExp,
])[] = [
  [
    'without a norm of one block',
    dev,
    without(/single_blocks\.1\.norm\.query_norm/u),
    /lacks the tensor ".*blocks\.1\.attn\.norm_q\.weight"/,
  ],
  ['without its single blocks', dev, without(/^single_blocks/u), /lacks the tensor "single_transformer_blocks\.0\./],
  ['with half a bias', dev, halved('double_blocks.1.img_mlp.0.bias'), /bias" of 512 numbers for a weight of 1024 rows/],
  ['with half a matrix', zImage, halved('layers.1.attention.out.weight'), /has tensors whose shapes do not fit each other/],
  ['with half a norm', zImage, halved('cap_embedder.0.weight'), /has tensors whose shapes do not fit each other/],
]

for (const [what, file, damage, answer] of damages)
  test(`a transformer ${what} is rejected permanently, with a reason`, async () => {
    const reference: ReferenceCase | undefined = cases.find(({ model }) => model === file)
    assert.ok(reference)
    const model = file.replace('.safetensors', '-damaged.safetensors')
    await writeFile(join(folder, model), storedFile(damage(await readStoredTensors(join(folder, file)))))
    const drawn = async () => {
      await using opened = await openReferencePipeline(folder, { ...reference, model }, { threads: 1, signal })
      await replayCase(opened, reference, { signal })
    }
    await assert.rejects(drawn, (error: Error & { readonly param?: string }) => {
      assert.match(error.message, answer)
      assert.equal(error.param, 'model')
      return true
    })
  })
