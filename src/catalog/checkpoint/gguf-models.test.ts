import assert from 'node:assert/strict'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { type GgufTensor, ggufValue, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { safetensorsFile } from '../../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts'
import { openCatalog } from '../refreshable-catalog.ts'

const q8 = (name: string, width: number, rows: number): GgufTensor => ({
  name,
  shape: [width, rows],
  type: 8,
  data: Buffer.alloc((rows * width * 34) / 32),
})
const single = (name: string, shape: readonly number[]): GgufTensor => ({
  ...{ name, shape, type: 0 },
  data: Buffer.alloc(4 * shape.reduce((product, size) => product * size, 1)),
})

const zImage = [q8('noise_refiner.0.attention.qkv.weight', 64, 96), q8('cap_embedder.1.weight', 32, 64)]
const qwen = (width: number): Buffer =>
  writeGguf(
    [['general.architecture', ggufValue('qwen3')]],
    [q8('token_embd.weight', width, 8), single('blk.0.attn_q_norm.weight', [16]), q8('blk.0.attn_q.weight', width, 32)],
  )
const vae = Buffer.from(safetensorsFile([{ name: 'decoder.conv_in.weight', shape: [8, 16, 3, 3], values: new Float32Array(8 * 16 * 9) }]))

for (const [converter, header, prefix] of [
  ['ComfyUI', [['general.architecture', ggufValue('lumina2')] as const], ''],
  ['stable-diffusion.cpp', [], 'model.diffusion_model.'],
] as const) {
  test(`a GGUF transformer of ${converter} is assembled with GGUF parts that fit it`, async () => {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, {
      'diffusion_models/z-image-turbo-Q8_0.gguf': writeGguf(
        header,
        zImage.map((tensor) => ({ ...tensor, name: prefix + tensor.name })),
      ),
      'text_encoders/Qwen3-4B-Q8_0.gguf': qwen(32),
      'text_encoders/Qwen3-8B-Q8_0.gguf': qwen(64),
      'vae/ae.safetensors': vae,
      'tokenizers/qwen3/tokenizer.json': Buffer.from('{}'),
    })
    const catalog = await openCatalog({ folders: [folder.path] })
    const model = catalog.find('z-image-turbo-Q8_0')
    assert.ok(model?.kind === 'image', catalog.findUnusable('z-image-turbo-Q8_0')?.reason ?? JSON.stringify(catalog.faults))
    assert.equal(model.checkpoint?.family, 'z-image')
    assert.equal(model.checkpoint.files?.text_encoder, join(folder.path, 'text_encoders/Qwen3-4B-Q8_0.gguf'))
    assert.equal(catalog.find('Qwen3-4B-Q8_0')?.kind, 'text')
    assert.equal(model.defaults.steps, 8)
    for (const name of ['ae', 'ae.safetensors', 'vae/ae.safetensors'])
      assert.match(catalog.findUnusable(name)?.reason ?? '', /^is a VAE for FLUX, .* requests cannot name it$/u, name)
    assert.match(catalog.findUnusable('Qwen3-8B-Q8_0')?.reason ?? '', /^is a text encoder for FLUX, /u)
  })
}

test('the headers of its files say what a Stable Diffusion 3 cannot draw', async () => {
  const file = (tensors: Readonly<Record<string, readonly number[]>>): Buffer =>
    Buffer.from(
      safetensorsFile(
        Object.entries(tensors).map(([name, shape]) => ({ name, shape, values: new Float32Array(shape.reduce((a, b) => a * b, 1)) })),
      ),
    )
  const clip = (width: number, layers: number): Buffer =>
    file({
      'text_model.embeddings.token_embedding.weight': [2, width],
      ...Object.fromEntries(Array.from({ length: layers }, (_, i) => [`text_model.encoder.layers.${i}.mlp.fc1.weight`, [1, 1]])),
    })
  const decoder = { 'decoder.conv_in.weight': [1, 16, 1, 1] }
  for (const [encoder, startsFromImage] of [
    [{}, false],
    [{ 'encoder.conv_in.weight': [1, 3, 1, 1] }, true],
  ] as const) {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, {
      'sd3.safetensors': file({ 'joint_blocks.0.x_block.attn.qkv.weight': [1, 5], 'joint_blocks.2.a': [1], pos_embed: [1, 48 * 48, 1] }),
      'clip_l.safetensors': clip(8, 3),
      'clip_g.safetensors': clip(1280, 5),
      'vae.safetensors': file({ ...decoder, ...encoder }),
    })
    const catalog = await openCatalog({ folders: [folder.path] })
    const model = catalog.find('sd3')
    assert.ok(model?.kind === 'image', JSON.stringify(catalog.faults))
    const { clipSkip, maxSide, blocks, width, ...bounds } = model.bounds ?? { clipSkip: null, startsFromImage: null }
    assert.deepEqual([clipSkip, maxSide, blocks, width, bounds.startsFromImage], [2, 768, 3, 5, startsFromImage])
    assert.deepEqual(
      [model.native, model.sizes],
      [
        { width: 768, height: 768 },
        { type: 'range', min: 64, max: 768 },
      ],
    )
  }
})

test('limits of a Stable Diffusion 3 that are no sizes are ignored', async () => {
  for (const config of [
    { pos_embed_max_size: 0, num_layers: 0 },
    { pos_embed_max_size: -192, num_layers: 2.5 },
    { pos_embed_max_size: '192', num_layers: null },
  ]) {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, {
      'x/model_index.json': '{}',
      'x/transformer/config.json': JSON.stringify({
        _class_name: 'SD3Transformer2DModel',
        ...config,
        num_attention_heads: 3,
        attention_head_dim: 4,
      }),
      'x/transformer/diffusion_pytorch_model.safetensors': vae,
    })
    const catalog = await openCatalog({ folders: [folder.path] })
    const model = catalog.find('x')
    assert.ok(model?.kind === 'image', JSON.stringify(catalog.faults))
    const { maxSide, blocks, width } = model.bounds ?? {}
    assert.deepEqual([model.native, maxSide, blocks, width], [{ width: 1024, height: 1024 }, undefined, undefined, 12])
  }
})

test('an encoder of another width is not used as the part', async () => {
  await using folder = await createTemporaryFolder()
  await writeFiles(folder.path, {
    'z-image.gguf': writeGguf([], zImage),
    'Qwen3-8B-Q8_0.gguf': qwen(64),
  })
  const catalog = await openCatalog({ folders: [folder.path] })
  assert.deepEqual(
    catalog.faults.map(({ file }) => basename(file)),
    ['z-image.gguf'],
  )
  assert.match(catalog.findUnusable('z-image')?.reason ?? '', /the text encoder Qwen3 \(4B for Z-Image/u)
})

test('a model whose part is damaged names the damaged file beside the missing part', async () => {
  await using folder = await createTemporaryFolder()
  await writeFiles(folder.path, {
    'diffusion_models/z-image-turbo-Q8_0.gguf': writeGguf([['general.architecture', ggufValue('lumina2')]], zImage),
    'text_encoders/Qwen3-4B-Q8_0.gguf': qwen(32).subarray(0, -1),
    'vae/ae.safetensors': vae,
    'tokenizers/qwen3/tokenizer.json': Buffer.from('{}'),
    'loras/far/away.gguf': Buffer.alloc(0),
  })
  const reason = (await openCatalog({ folders: [folder.path] })).findUnusable('z-image-turbo-Q8_0')?.reason
  assert.match(reason ?? '', /without all its parts; .*the text encoder Qwen3 .*; damaged there: Qwen3-4B-Q8_0\.gguf$/)
})

test('a file of weights in blocks that Sepia cannot read is not to be copied again', async () => {
  await using folder = await createTemporaryFolder()
  const [first, ...rest] = zImage
  assert.ok(first)
  const iq4 = { ...first, type: 20, data: Buffer.alloc((first.data.length / 34) * 18) }
  await writeFiles(folder.path, { 'z-image.gguf': writeGguf([['general.architecture', ggufValue('lumina2')]], [iq4, ...rest]) })
  const [fault] = (await openCatalog({ folders: [folder.path] })).faults
  assert.match(fault?.message ?? '', /as IQ4_NL, which Sepia cannot read in image models; use Q8_0, Q4_0 or Q4_K\.$/)
})

test('a damaged file of another models folder is not named', async () => {
  await using folder = await createTemporaryFolder()
  await writeFiles(folder.path, {
    'one/z-image.gguf': writeGguf([['general.architecture', ggufValue('lumina2')]], zImage),
    'two/broken.gguf': Buffer.alloc(0),
  })
  const catalog = await openCatalog({ folders: [join(folder.path, 'one'), join(folder.path, 'two')] })
  assert.match(catalog.findUnusable('z-image')?.reason ?? '', /without all its parts/)
  assert.doesNotMatch(catalog.findUnusable('z-image')?.reason ?? '', /broken/)
})
