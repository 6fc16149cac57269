import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ggufValue, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { readGoldenCheckpoints } from '../../../test/support/model-files/golden-checkpoints.ts'
import { type HubRepository, startHubServer } from '../../../test/support/model-files/hub-server.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { planPull, pullModel } from '../pull-model.ts'
import type { HubAccess } from './hub-access.ts'
import { searchHub } from './search-hub.ts'

const options = { signal: new AbortController().signal, onProgress: () => {} }
const weights = (name: string, bytes = 100_000) =>
  Buffer.concat([
    writeGguf(
      [
        ['general.architecture', ggufValue('llama')],
        ['llama.context_length', ggufValue(4096)],
      ],
      [],
    ),
    Buffer.alloc(bytes, name),
  ])

const qwen: HubRepository = {
  license: 'apache-2.0',
  files: {
    'README.md': Buffer.from('# Qwen'),
    'qwen-q4_k_m.gguf': weights('four'),
    'qwen-q8_0-00001-of-00003.gguf': weights('one'),
    'qwen-q8_0-00002-of-00003.gguf': weights('two'),
    'qwen-q8_0-00003-of-00003.gguf': weights('three'),
    'mmproj-qwen-f16.gguf': weights('eyes'),
  },
}

function accessTo(url: string, changes: Partial<HubAccess> = {}): HubAccess {
  return { endpoint: url, token: null, trustedHosts: ['127.0.0.1', 'localhost'], wait: async () => {}, ...changes }
}

describe('a model of the hub', () => {
  it('is pulled by name: the usual quantization, with the checksums and the licence of the hub', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({ 'Qwen/Qwen2.5-GGUF': qwen })
    const model = await pullModel({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:Qwen/Qwen2.5-GGUF', options)
    assert.deepEqual([model.id, model.kind, model.license], ['qwen/qwen2.5-gguf', 'text', 'apache-2.0'])
    assert.deepEqual((await readdir(model.folder)).toSorted(), ['mmproj-qwen-f16.gguf', 'model.json', 'qwen-q4_k_m.gguf'])
    assert.deepEqual(await readFile(join(model.folder, 'qwen-q4_k_m.gguf')), qwen.files['qwen-q4_k_m.gguf'])
  })

  it('is described once, before its first file is fetched', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({ 'Qwen/Qwen2.5-GGUF': qwen })
    const reported: unknown[] = []
    const onPlan = ({ id, license }: { readonly id: string; readonly license: string | null }) => {
      reported.push([id, license, server.requested.filter(({ path }) => !path.startsWith('/api/')).length])
    }
    await pullModel({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:Qwen/Qwen2.5-GGUF', { ...options, onPlan })
    assert.deepEqual(reported, [['qwen/qwen2.5-gguf', 'apache-2.0', 0]])
    assert.equal(server.requested.filter(({ path }) => path.includes('/revision/')).length, 1)
  })

  it('is assembled from files of several repositories', async () => {
    const golden = await readGoldenCheckpoints('transformers')
    const file = (path: string) => golden.get(path) ?? Buffer.alloc(0)
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({
      'jo/Z-GGUF': { license: 'apache-2.0', files: { 'z_image_turbo-Q4_0.gguf': file('unet/z_image_turbo-Q4_0.gguf') } },
      'Comfy/z': {
        files: {
          'split_files/text_encoders/qwen_3_4b.safetensors': file('text_encoders/qwen_3_4b.safetensors'),
          'split_files/vae/ae.safetensors': file('vae/ae.safetensors'),
        },
      },
      'Qwen/Qwen3-4B': { files: { 'tokenizer.json': file('tokenizers/qwen3/tokenizer.json') } },
      'odd/files': {
        files: {
          'broken.safetensors': Buffer.alloc(5000, 'x'),
          'narrow.safetensors': file('text_encoders/qwen_3_4b_klein.safetensors'),
        },
      },
    })
    const source = [
      'hf:jo/Z-GGUF:z_image_turbo-Q4_0.gguf',
      'hf:Comfy/z:split_files/text_encoders/qwen_3_4b.safetensors',
      'hf:Comfy/z:split_files/vae/ae.safetensors',
      'hf:Qwen/Qwen3-4B:tokenizer.json',
    ]
    const hub = accessTo(server.url)
    const model = await pullModel({ modelsFolder: folder.path, hub }, source.join('+'), options)
    assert.ok(model.kind === 'image' && model.checkpoint)
    assert.equal(model.checkpoint.family, 'z-image')
    assert.deepEqual(Object.keys(model.checkpoint.files ?? {}).toSorted(), ['text_encoder', 'tokenizer', 'vae'])
    assert.equal(model.id, 'jo/z-gguf:z_image_turbo-q4_0')
    await using other = await createTemporaryFolder()
    const pull = (parts: readonly string[]) => pullModel({ modelsFolder: other.path, hub }, parts.join('+'), options)
    const [transformer = '', encoder = '', vae = '', tokenizer = ''] = source
    for (const [parts, refusal] of [
      [[transformer, encoder, vae], /Z-Image without all its parts; add these with "\+": the tokenizer of Qwen3/],
      [[transformer, vae, tokenizer], /add these with "\+": the text encoder Qwen3/],
      [[transformer, encoder, tokenizer], /add these with "\+": its VAE/],
      [[vae, encoder, tokenizer], /ae\.safetensors is not a transformer; name the file of the transformer first/],
      [[encoder, transformer], /is not a transformer/],
      [[transformer, 'hf:odd/files:broken.safetensors', tokenizer], /broken\.safetensors .*; choose another file/],
      [[transformer, 'hf:odd/files:narrow.safetensors', vae, tokenizer], /add these with "\+": the text encoder Qwen3/],
    ] as const)
      await assert.rejects(pull(parts), refusal)
    assert.deepEqual(await readdir(other.path), [])
    await assert.rejects(pull([...source.slice(0, 3), 'hf:Qwen/Qwen3-4B']), /must name one file of the model/)
    await assert.rejects(pull([...source.slice(0, 3), 'hf:Qwen/Qwen3-4B:other/tokenizer.json']), /has no file other\/tokenizer\.json/)
  })

  it('is pulled with every part when a quantization is split, with the quantization in its id', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({ 'Qwen/Qwen2.5-GGUF': qwen })
    const model = await pullModel({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:Qwen/Qwen2.5-GGUF:Q8_0', options)
    assert.equal(model.id, 'qwen/qwen2.5-gguf:q8_0')
    assert.equal((await readdir(model.folder)).filter((name) => name.endsWith('.gguf')).length, 4)
    assert.ok(model.kind === 'text' && model.file.endsWith('q8_0-00001-of-00003.gguf'))
  })

  it('arrives complete after nine interruptions', async () => {
    await using folder = await createTemporaryFolder()
    const whole = weights('long', 950_000)
    await using server = await startHubServer({ 'o/r': { files: { 'a.gguf': whole } } }, { cutAfter: Math.ceil(whole.length / 10) })
    const model = await pullModel({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:o/r', options)
    assert.deepEqual(await readFile(join(model.folder, 'a.gguf')), whole)
    const ranges = server.requested.filter(({ path }) => path.startsWith('/storage/')).map(({ range }) => range)
    // An interruption loses unwritten bytes, but never everything that its connection delivered.
    assert.ok(ranges.length >= 10, `${ranges.length} connections`)
    assert.equal(new Set(ranges).size, ranges.length)
  })

  it('uses several connections if it is large, recovers from interruptions, and resumes after a stop', async () => {
    await using folder = await createTemporaryFolder()
    const whole = Buffer.concat([weights('long', 500_000), weights('other', 500_001)])
    await using server = await startHubServer({ 'o/r': { files: { 'a.gguf': whole } } }, { cutAfter: 90_000 })
    const hub = accessTo(server.url, { spreading: { leastBytes: 1000, connections: 3 } })
    const stop = new AbortController()
    const halfway = ({ bytesDone }: { readonly bytesDone: number }) => bytesDone > whole.length / 2 && stop.abort()
    await assert.rejects(pullModel({ modelsFolder: folder.path, hub }, 'hf:o/r', { signal: stop.signal, onProgress: halfway }))
    const before = server.requested.length
    const starts: number[] = []
    const onProgress = ({ bytesDone }: { readonly bytesDone: number }) => void starts.push(bytesDone)
    const model = await pullModel({ modelsFolder: folder.path, hub }, 'hf:o/r', { ...options, onProgress })
    assert.deepEqual(await readFile(join(model.folder, 'a.gguf')), whole)
    assert.deepEqual((await readdir(model.folder)).toSorted(), ['a.gguf', 'model.json'])
    assert.ok((starts[0] ?? 0) > whole.length / 2, 'bytes that had arrived are not fetched again')
    const ranges = server.requested.slice(before).flatMap(({ path, range }) => (path.startsWith('/storage/') ? [range] : []))
    assert.ok(ranges.every((range) => range !== undefined))
  })

  it('lists what would be fetched, including the projector, without fetching it', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({ 'Qwen/Qwen2.5-GGUF': qwen })
    const plan = await planPull({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:Qwen/Qwen2.5-GGUF', options)
    assert.deepEqual(Object.keys(plan.files).toSorted(), ['mmproj-qwen-f16.gguf', 'qwen-q4_k_m.gguf'])
    assert.deepEqual(await readdir(folder.path), [])
    assert.ok(server.requested.every(({ path }) => path.startsWith('/api/')))
  })

  it('lists the available quantizations if the requested one is missing, and the missing parts of a set', async () => {
    await using folder = await createTemporaryFolder()
    const { 'qwen-q8_0-00002-of-00003.gguf': _, ...files } = qwen.files
    await using server = await startHubServer({ 'Qwen/Qwen2.5-GGUF': { files } })
    const plan = (source: string) => planPull({ modelsFolder: folder.path, hub: accessTo(server.url) }, source, options)
    await assert.rejects(plan('hf:Qwen/Qwen2.5-GGUF:Q5_0'), /has no Q5_0; it has: Q4_K_M, Q8_0\./)
    await assert.rejects(plan('hf:Qwen/Qwen2.5-GGUF:Q8_0'), /lacks 1 of the 3 parts of Q8_0/)
  })

  it("pulls an image model in diffusers' layout in half precision, and checks small files against their own hash", async () => {
    await using folder = await createTemporaryFolder()
    const files = {
      'model_index.json': Buffer.from('{"_class_name": "StableDiffusionPipeline"}'),
      'scheduler/scheduler_config.json': Buffer.from('{}'),
      'unet/config.json': Buffer.from('{"in_channels": 4}'),
      'unet/diffusion_pytorch_model.safetensors': Buffer.alloc(400, 'f32'),
      'unet/diffusion_pytorch_model.fp16.safetensors': Buffer.alloc(200, 'f16'),
      'vae/diffusion_pytorch_model.safetensors': Buffer.alloc(40, 'vae'),
      'text_encoder/pytorch_model.bin': Buffer.from('pickle'),
    }
    await using server = await startHubServer({ 'a/b': { files } })
    const plan = await planPull({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:a/b', options)
    assert.deepEqual(Object.keys(plan.files).toSorted(), [
      'model_index.json',
      'scheduler/scheduler_config.json',
      'unet/config.json',
      'unet/diffusion_pytorch_model.safetensors',
      'vae/diffusion_pytorch_model.safetensors',
    ])
    assert.equal(plan.files['unet/diffusion_pytorch_model.safetensors']?.bytes, 200)
    await using damaged = await startHubServer({ 'a/b': { files } }, { damaged: true })
    await assert.rejects(planPull({ modelsFolder: folder.path, hub: accessTo(damaged.url) }, 'hf:a/b', options), /arrived damaged/)
  })

  it("pulls a transformer in diffusers' layout with all its encoders and tokenizers, and nothing else", async () => {
    await using folder = await createTemporaryFolder()
    const paths = [
      ...['model_index.json', 'scheduler/scheduler_config.json', 'transformer/config.json', 'vae/config.json'],
      ...[
        'transformer/diffusion_pytorch_model-00001-of-00002.safetensors',
        'transformer/diffusion_pytorch_model-00002-of-00002.safetensors',
      ],
      ...['transformer/diffusion_pytorch_model.safetensors.index.json', 'vae/diffusion_pytorch_model.safetensors'],
      ...['text_encoder/model.safetensors', 'text_encoder_3/model.safetensors', 'tokenizer/vocab.json', 'tokenizer/merges.txt'],
      ...['tokenizer_3/spiece.model', 'tokenizer_3/tokenizer.json'],
    ]
    const other = ['flux1-schnell.safetensors', 'ae.safetensors', 'README.md', 'assets/grid.jpg']
    const files = Object.fromEntries([...paths, ...other].map((path) => [path, Buffer.from(path.endsWith('.json') ? '{}' : path)]))
    await using server = await startHubServer({ 'a/flux': { files } })
    const plan = await planPull({ modelsFolder: folder.path, hub: accessTo(server.url) }, 'hf:a/flux', options)
    assert.deepEqual(Object.keys(plan.files).toSorted(), paths.toSorted())
  })

  it('can be one of several files, by name, and is never a pickle', async () => {
    await using folder = await createTemporaryFolder()
    const files = { 'x.safetensors': Buffer.from('x'), 'y.safetensors': Buffer.from('y'), 'z.bin': Buffer.from('z') }
    await using server = await startHubServer({ 'a/b': { files } })
    const plan = (source: string) => planPull({ modelsFolder: folder.path, hub: accessTo(server.url) }, source, options)
    await assert.rejects(plan('hf:a/b'), /has several models; add one of them with ":": x\.safetensors, y\.safetensors/)
    await assert.rejects(plan('hf:a/b:z.bin'), /z\.bin is a pickle/)
    assert.equal((await plan('hf:a/b:y.safetensors')).id, 'a/b:y')
  })

  it('explains how to get access to a gated model, and sends the token only to the hub', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({ 'a/b': { files: { 'a.gguf': weights('a') }, gated: true } })
    const pull = (token: string | null) => pullModel({ modelsFolder: folder.path, hub: accessTo(server.url, { token }) }, 'hf:a/b', options)
    await assert.rejects(pull(null), /a\/b is gated, private or does not exist: open .*\/a\/b, accept its terms.* HF_TOKEN/)
    await assert.rejects(pull('hf_bad'), /The token has no access to a\/b: open .* accept the terms/)
    await assert.rejects(pull('secret'), {
      name: 'Error',
      message: 'The hub\'s token must begin with "hf_"; correct or remove HF_TOKEN, hub-token or hub-token-file.',
    })
    await pull('hf_good')
    const stored = server.requested.filter(({ path }) => path.startsWith('/storage/'))
    assert.deepEqual(
      stored.map(({ authorization }) => authorization),
      [undefined],
    )
  })

  it('waits as long as a busy hub asks, and finally gives up', async () => {
    await using folder = await createTemporaryFolder()
    const waits: number[] = []
    const wait = async (ms: number): Promise<void> => void waits.push(ms)
    await using busy = await startHubServer({ 'a/b': { files: { 'a.gguf': weights('a') } } }, { busy: { status: 429, times: 2 } })
    await planPull({ modelsFolder: folder.path, hub: accessTo(busy.url, { wait }) }, 'hf:a/b', options)
    assert.deepEqual(waits, [7000, 7000])
    await using full = await startHubServer({}, { busy: { status: 429, times: 1000 } })
    await assert.rejects(
      planPull({ modelsFolder: folder.path, hub: accessTo(full.url) }, 'hf:a/b', options),
      /has limited the number of requests/,
    )
  })

  it('is rejected before any request if its name is invalid', async () => {
    await using folder = await createTemporaryFolder()
    await using server = await startHubServer({})
    for (const source of ['hf:', 'hf:qwen', 'hf:a/b/c', 'hf:../b', 'hf:a/b@..', 'hf:a/b:../../x', 'hf:a/b?x=1', 'hf:a/b@'])
      await assert.rejects(planPull({ modelsFolder: folder.path, hub: accessTo(server.url) }, source, options), /is not a hub name/, source)
    assert.deepEqual(server.requested, [])
  })

  it('is found by search words, most downloaded first', async () => {
    await using server = await startHubServer({
      'Qwen/Qwen2.5-GGUF': qwen,
      'someone/qwen-picture': { files: { 'a.safetensors': Buffer.from('a') }, gated: true, license: 'openrail' },
      'someone/other': qwen,
    })
    assert.deepEqual(await searchHub(accessTo(server.url), 'qwen', options), [
      { source: 'hf:someone/qwen-picture', downloads: 20, license: 'openrail', gated: true },
      { source: 'hf:Qwen/Qwen2.5-GGUF', downloads: 17, license: 'apache-2.0', gated: false },
    ])
  })
})
