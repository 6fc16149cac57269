import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { unpackGoldenCheckpoints } from '../../../../test/support/model-files/golden-checkpoints.ts'
import { readStoredTensors, type StoredTensor, storedFile } from '../../../../test/support/model-files/safetensors-file.ts'
import { openReferencePipeline } from '../../../../test/support/parity/open-pipeline.ts'
import { parseReferenceFile, type ReferenceCase } from '../../../../test/support/parity/reference-case.ts'
import { replayCase } from '../../../../test/support/parity/replay-case.ts'
import { createTemporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { loadUnigramTokenizer } from '../prompts/unigram-tokenizer.ts'

const temporary = await createTemporaryFolder()
after(() => temporary[Symbol.asyncDispose]())
const folder = temporary.path
const [dev, zImage] = ['diffusion_models/flux1-dev.safetensors', 'diffusion_models/z_image_turbo_bf16.safetensors']
const [sd3, klein] = ['checkpoints/sd3.5_medium.safetensors', 'diffusion_models/flux-2-klein.safetensors']
const others = 'text_encoders/(?:clip_.|t5xxl_fp16|qwen_3_4b.*)\\.|vae/|tokenizers|cases\\.json'
const wanted = new RegExp(`^(?:${[dev, zImage, sd3, klein, others].join('|')})`, 'u')
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
const renamed = (wanted: string) => (tensors: readonly StoredTensor[]) =>
  tensors.map((tensor) => (tensor.name === wanted ? { ...tensor, name: `${wanted}_strange.x` } : tensor))
/** Halves the last dimension. */
const narrowed = (wanted: string) => (tensors: readonly StoredTensor[]) =>
  tensors.map((tensor) => {
    const { name, shape, bytes } = tensor
    return name === wanted
      ? { ...tensor, shape: [...shape.slice(0, -1), (shape.at(-1) ?? 0) / 2], bytes: bytes.subarray(0, bytes.length / 2) }
      : tensor
  })
/** Fills a tensor with NaN. */
const spoilt = (wanted: RegExp) => (tensors: readonly StoredTensor[]) =>
  tensors.map((tensor) => (wanted.test(tensor.name) ? { ...tensor, bytes: new Uint8Array(tensor.bytes.length).fill(0xff) } : tensor))
/** A text encoder of half the width. */
const thinned = (tensors: readonly StoredTensor[]) =>
  tensors.map((tensor) => {
    const shape = tensor.shape.map((size) => (size === 64 || size === 256 ? size / 2 : size))
    const share = shape.reduce((product, size, axis) => (product * size) / (tensor.shape[axis] ?? 1), 1)
    return { ...tensor, shape, bytes: tensor.bytes.subarray(0, tensor.bytes.length * share) }
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
  ['without a bias', dev, without(/^single_blocks\.1\.linear2\.bias/u), /lacks the tensor "single_transformer_blocks\.1\.proj_out\.bias"/],
  [
    'without a bias',
    sd3,
    without(/joint_blocks\.0\.x_block\.attn2\.proj\.bias/u),
    /lacks the tensor ".*blocks\.0\.attn2\.to_out\.0\.bias"/,
  ],
  ['without a bias', zImage, without(/^layers\.1\.adaLN_modulation\.0\.bias/u), /lacks the tensor "layers\.1\.adaLN_modulation\.0\.bias"/],
  ['with half a bias', dev, halved('double_blocks.1.img_mlp.0.bias'), /bias" of 512 numbers for a weight of 1024 rows/],
  ['with half a matrix', zImage, halved('layers.1.attention.out.weight'), /has tensors whose shapes do not fit each other/],
  ['for control pictures', dev, narrowed('img_in.weight'), /takes 32 input channels instead of 64; .*FLUX\.1 Fill/],
  ['for another T5', dev, narrowed('txt_in.weight'), /needs texts of width 96, and t5xxl_fp16\.safetensors gives 192/],
  ['for another CLIP', dev, narrowed('vector_in.in_layer.weight'), /needs texts of width 32, and clip_l\.safetensors gives 64/],
  [
    'for another language model',
    zImage,
    narrowed('cap_embedder.1.weight'),
    /needs texts of width 64, and qwen_3_4b\.safetensors gives 128/,
  ],
  [
    'with half a norm of heads',
    dev,
    halved('double_blocks.0.img_attn.norm.query_norm.scale'),
    /attn\.norm_q\.weight" of 64 numbers for heads of 128/,
  ],
  [
    'with an unknown tensor in a block',
    dev,
    renamed('double_blocks.0.img_mlp.2.bias'),
    /holds a tensor "double_blocks\.0\.img_mlp\.2\.bias_strange\.x" that/,
  ],
  ['with NaN', dev, spoilt(/^double_blocks\.0\.img_mlp\.0\.weight/u), /NaN or infinity in the first step: its file is damaged/],
  ['with half a norm', zImage, halved('cap_embedder.0.weight'), /has tensors whose shapes do not fit each other/],
]

/** Requires a case of a model to be rejected as a permanent fault of its files, some of them replaced. */
async function requireRejected(reference: Pick<ReferenceCase, 'model'>, replaced: Partial<ReferenceCase>, answer: RegExp): Promise<void> {
  const found = cases.find(({ model }) => model === reference.model)
  assert.ok(found)
  const changed = { ...found, ...replaced, files: { ...found.files, ...replaced.files } }
  const drawn = async () => {
    await using opened = await openReferencePipeline(folder, changed, { threads: 1, signal })
    await replayCase(opened, changed, { signal })
  }
  await assert.rejects(drawn, (error: Error & { readonly param?: string }) => {
    assert.match(error.message, answer)
    assert.equal(error.param, 'model')
    return true
  })
}

async function writeDamaged(file: string, damage: (tensors: readonly StoredTensor[]) => readonly StoredTensor[]): Promise<string> {
  const damaged = file.replace('.safetensors', '-damaged.safetensors')
  await writeFile(join(folder, damaged), storedFile(damage(await readStoredTensors(join(folder, file)))))
  return damaged
}

for (const [what, file, damage, answer] of damages)
  test(`a transformer ${what} is rejected permanently, with a reason`, async () => {
    await requireRejected({ model: file }, { model: await writeDamaged(file, damage) }, answer)
  })

for (const [what, model, component, file, damage, answer] of [
  [
    'the first shard of Qwen3',
    zImage,
    'text_encoder',
    'qwen_3_4b',
    without(/^model\.(?:norm|layers\.2)\./u),
    /lacks the tensor "norm\.weight"/,
  ],
  ['Qwen3 with NaN', zImage, 'text_encoder', 'qwen_3_4b', spoilt(/^model\.layers\.0\.mlp\.up_proj/u), /text encoder .* returned NaN/],
  [
    'CLIP-L in the place of CLIP-G',
    sd3,
    'text_encoder_2',
    'clip_l',
    thinned,
    /clip_l\.safetensors is in the place of clip_l-damaged\.safetensors/,
  ],
] as const)
  test(`${what} is rejected permanently as a text encoder, with a reason`, async () => {
    const damaged = await writeDamaged(`text_encoders/${file}.safetensors`, damage)
    await requireRejected({ model }, { files: { [component]: damaged } }, answer)
  })

test('a VAE of FLUX.2 without the statistics of its latents is rejected', async () => {
  const vae = await writeDamaged('vae/flux2-vae.safetensors', without(/^bn\./u))
  await requireRejected({ model: klein }, { files: { vae } }, /lacks the tensor "bn\.running_mean"/)
})

test('a VAE without the first block of its decoder is rejected', async () => {
  const vae = await writeDamaged('vae/ae.safetensors', without(/^decoder\.up\.3\./u))
  await requireRejected({ model: dev }, { files: { vae } }, /lacks the tensor "decoder\.up_blocks\.0\.resnets\.0\.conv1\.weight"/)
})

test('a VAE with NaN is rejected', async () => {
  const vae = await writeDamaged('vae/ae.safetensors', spoilt(/^decoder\.conv_out\.weight/u))
  await requireRejected({ model: dev }, { files: { vae } }, /VAE of this model returned NaN or infinity: its file is damaged/)
})

test('a SentencePiece tokenizer that was cut short is rejected', async () => {
  const [whole, cut] = [join(folder, 'tokenizers/t5'), join(folder, 'tokenizers/cut')]
  const file = await readFile(join(whole, 'spiece.model'))
  await mkdir(cut)
  await writeFile(join(cut, 'spiece.model'), file)
  assert.equal((await loadUnigramTokenizer(cut)).size, (await loadUnigramTokenizer(whole)).size)
  for (const length of [file.length - 1, 5000]) {
    await writeFile(join(cut, 'spiece.model'), file.subarray(0, length))
    await assert.rejects(loadUnigramTokenizer(cut), { message: /spiece\.model is cut short; copy it again/ })
  }
})

test('a tokenizer of another model is rejected', async () => {
  const read = async (name: string) => JSON.parse(await readFile(join(folder, 'tokenizers', name, 'tokenizer.json'), 'utf8'))
  const write = async (name: string, content: unknown): Promise<string> => {
    await mkdir(join(folder, 'tokenizers', name))
    await writeFile(join(folder, 'tokenizers', name, 'tokenizer.json'), JSON.stringify(content))
    return `tokenizers/${name}`
  }
  const [qwen3, t5] = [await read('qwen3'), await read('t5')]
  const plain = await write('plain', { ...qwen3, added_tokens: [] })
  await requireRejected({ model: zImage }, { files: { tokenizer: plain } }, /lacks the token <\|im_start\|>; use the tokenizer of Qwen3/)
  const more = Array.from({ length: 200 }, (_, i) => [`piece ${i}`, -9])
  const large = await write('large', { ...t5, model: { ...t5.model, vocab: [...t5.model.vocab, ...more] } })
  await requireRejected({ model: dev }, { files: { tokenizer_2: large } }, /t5xxl_fp16\.safetensors has 576 tokens, but its tokenizer has/)
})
