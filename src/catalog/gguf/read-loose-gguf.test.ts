import assert from 'node:assert/strict'
import { basename, join } from 'node:path'
import { describe, it } from 'node:test'
import { type GgufEntry, type GgufTensor, ggufValue, writeGguf } from '../../../test/support/model-files/gguf-file.ts'
import { writeMmproj } from '../../../test/support/model-files/mmproj-file.ts'
import { createTemporaryFolder, writeFiles } from '../../../test/support/temporary-folder.ts'
import { openCatalog } from '../refreshable-catalog.ts'

const header = (architecture: string, ...more: readonly GgufEntry[]): Buffer =>
  writeGguf([['general.architecture', ggufValue(architecture)], [`${architecture}.context_length`, ggufValue(4096)], ...more], [])

const lora = (matrices: readonly string[]): Buffer =>
  writeGguf(
    [
      ['general.architecture', ggufValue('llama')],
      ['general.type', ggufValue('adapter')],
      ['adapter.type', ggufValue('lora')],
    ],
    matrices.map((matrix) => ({ name: `blk.0.attn_q.weight.lora_${matrix}`, shape: [4, 4], type: 0, data: Buffer.alloc(64) })),
  )

const weights = (name: string): GgufTensor => ({ name, shape: [32, 4], type: 8, data: Buffer.alloc(4 * 34) })

describe('a GGUF file in a models folder', () => {
  it('is a model named after its file and described by its header', async () => {
    await using folder = await createTemporaryFolder()
    const named = header('qwen3', ['general.name', ggufValue('Qwen 3')], ['general.license', ggufValue('apache-2.0')])
    const reranker = header('bert', ['bert.pooling_type', ggufValue(4)])
    await writeFiles(folder.path, {
      'Qwen3-8B-Q4_K_M.gguf': named,
      'sub/nomic-embed.gguf': header('nomic-bert'),
      'rank.gguf': reranker,
    })
    const catalog = await openCatalog({ folders: [folder.path] })
    const model = catalog.find('Qwen3-8B-Q4_K_M')
    assert.ok(model?.kind === 'text')
    assert.deepEqual([model.name, model.license, model.trainedLength], ['Qwen 3', 'apache-2.0', 4096])
    assert.deepEqual([model.generates, model.embeddings, model.bytes], [true, false, named.length])
    const encoder = catalog.find('nomic-embed')
    assert.ok(encoder?.kind === 'text')
    assert.deepEqual([encoder.generates, encoder.embeddings, encoder.ranks], [false, true, undefined])
    const ranker = catalog.find('rank')
    assert.ok(ranker?.kind === 'text')
    assert.deepEqual([ranker.generates, ranker.embeddings, ranker.ranks], [false, false, true])
  })

  it('is named and found in either form of its accents', async () => {
    await using folder = await createTemporaryFolder()
    const [decomposed, composed] = ['cafe\u0301', 'caf\u00e9']
    await writeFiles(folder.path, { [`${decomposed}.gguf`]: header('llama'), 'cut\u0308.gguf': Buffer.from('GGUF') })
    const catalog = await openCatalog({ folders: [folder.path] })
    assert.deepEqual(
      catalog.list().map(({ id }) => id),
      [composed],
    )
    for (const name of [decomposed, composed]) assert.equal(catalog.find(name)?.id, composed)
    assert.ok(catalog.findUnusable('cut\u0308') !== undefined)
  })

  it('is one model when it is split, and is rejected if a part is missing', async () => {
    await using folder = await createTemporaryFolder()
    const names = [1, 2, 3].map((number) => `big-0000${number}-of-00003.gguf`)
    // Split as by llama.cpp and the hub's converters: only the first part describes the model.
    const part = (index: number): Buffer => {
      const place: readonly GgufEntry[] = [
        ['split.count', ggufValue(3)],
        ['split.no', ggufValue(index)],
      ]
      return index === 0 ? header('llama', ...place) : writeGguf(place, [weights('blk.0.attn_q.weight')])
    }
    const parts = names.map((name, index) => [name, part(index)] as const)
    await writeFiles(folder.path, Object.fromEntries(parts))
    const model = (await openCatalog({ folders: [folder.path] })).list()
    assert.deepEqual(
      model.map(({ id, bytes }) => [id, bytes]),
      [['big', parts.reduce((sum, [, { length }]) => sum + length, 0)]],
    )

    await using lacking = await createTemporaryFolder()
    await writeFiles(lacking.path, { [names[0] ?? '']: part(0), [names[2] ?? '']: part(2) })
    assert.deepEqual(
      (await openCatalog({ folders: [lacking.path] })).faults.map(({ message }) => message),
      ['lacks 1 of its 3 parts; copy them into the same folder.'],
    )

    await using headless = await createTemporaryFolder()
    await writeFiles(headless.path, { [names[1] ?? '']: part(1), [names[2] ?? '']: part(2), 'renamed.gguf': part(1) })
    const catalog = await openCatalog({ folders: [headless.path] })
    assert.deepEqual(
      catalog.faults.map(({ file, message }) => `${basename(file)} ${message}`),
      [
        `${names[1]} lacks 1 of its 3 parts; copy them into the same folder.`,
        'renamed.gguf is one of 3 parts, and its name must end in -00002-of-00003.gguf; copy it again or remove it.',
      ],
    )
    assert.match(catalog.findUnusable('big')?.reason ?? '', /^lacks 1 of its 3 parts/)
  })

  it('is reported by name if it is not a model, and left out if it is damaged', async () => {
    await using folder = await createTemporaryFolder()
    await writeFiles(folder.path, {
      'mmproj.gguf': header('clip'),
      'lora.gguf': lora(['a', 'b']),
      'half.gguf': lora(['a']),
      'control.gguf': header('llama', ['general.type', ggufValue('adapter')], ['adapter.type', ggufValue('other')]),
      'flux.gguf': header('flux'),
    })
    const catalog = await openCatalog({ folders: [folder.path] })
    assert.deepEqual(catalog.list(), [])
    const reasons = ['mmproj', 'lora', 'half', 'control', 'flux'].map((name) =>
      catalog.findUnusable(name)?.reason.split(' ').slice(0, 3).join(' '),
    )
    assert.deepEqual(reasons, ['only prepares images', undefined, 'holds only one', 'is an adapter', 'is an image'])
    const adapter = catalog.findAsset('adapter', 'lora')
    assert.deepEqual([adapter?.architecture, adapter?.family, catalog.listAssets().length], ['llama', null, 1])

    await using damaged = await createTemporaryFolder()
    await writeFiles(damaged.path, { 'cut.gguf': header('llama').subarray(0, 60) })
    assert.match((await openCatalog({ folders: [damaged.path] })).findUnusable('cut')?.reason ?? '', /has a damaged header/)
  })

  it('is left out if its weights are cut short, even by a single byte', async () => {
    await using folder = await createTemporaryFolder()
    const tensors = [weights('output.weight'), { ...weights('token_embd.weight'), type: 0, data: Buffer.alloc(512) }]
    for (const alignment of [[], [['general.alignment', ggufValue(32)] as const]]) {
      const whole = writeGguf([['general.architecture', ggufValue('llama')], ...alignment], tensors)
      await writeFiles(folder.path, { 'chat.gguf': whole })
      assert.deepEqual(
        (await openCatalog({ folders: [folder.path] })).list().map(({ id }) => id),
        ['chat'],
      )
      await writeFiles(folder.path, { 'chat.gguf': whole.subarray(0, -1) })
      const message = `is cut short: it has ${whole.length - 1} bytes where its header promises ${whole.length}; copy it again or remove it.`
      assert.deepEqual((await openCatalog({ folders: [folder.path] })).faults, [
        { file: join(folder.path, 'chat.gguf'), field: '', message },
      ])
    }
  })

  it('reads images with the mmproj file of its name, or with the only one beside the only model', async () => {
    await using folder = await createTemporaryFolder()
    const text = header('llama')
    await writeFiles(folder.path, {
      'SmolVLM-256M-Instruct-Q8_0.gguf': text,
      'other-Q4_K_M.gguf': text,
      'mmproj-SmolVLM-256M-Instruct-f16.gguf': writeMmproj('idefics3', 64),
      'mmproj-SmolVLM-256M-Instruct-Q8_0.gguf': writeMmproj('idefics3', 64),
      'gemma/gemma-3-4b-it-Q4_0.gguf': text,
      'gemma/gemma-3-4b-it-Q8_0.gguf': text,
      'gemma/mmproj-model-f16.gguf': writeMmproj('gemma3', 64),
      'deaf/model.gguf': text,
      'deaf/mmproj.gguf': header('clip', ['clip.projector_type', ggufValue('pixtral')]),
      'damaged/cut.gguf': text,
      'damaged/mmproj-cut.gguf': writeMmproj('gemma3', 64).subarray(0, 100),
      'page/chat.gguf': text,
      'page/mmproj-chat.gguf': Buffer.from('<html>Not found</html>'),
      'both/eyes.gguf': text,
      'both/mmproj-eyes-f16.gguf': Buffer.alloc(0),
      'both/mmproj-eyes-Q8_0.gguf': writeMmproj('gemma3', 64),
    })
    const catalog = await openCatalog({ folders: [folder.path] })
    const names = ['SmolVLM-256M-Instruct-Q8_0', 'other-Q4_K_M', 'gemma-3-4b-it-Q4_0', 'gemma-3-4b-it-Q8_0', 'model', 'cut', 'chat', 'eyes']
    const seen = names.map((id) => {
      const model = catalog.find(id)
      assert.ok(model?.kind === 'text')
      const { vision = false, projector = null, blindness = null } = model
      return [vision, projector === null ? null : basename(projector), blindness?.split('; ')[0] ?? null]
    })
    assert.deepEqual(seen, [
      [true, 'mmproj-SmolVLM-256M-Instruct-f16.gguf', null],
      [false, null, null],
      [true, 'mmproj-model-f16.gguf', null],
      [true, 'mmproj-model-f16.gguf', null],
      [false, null, 'its mmproj file (mmproj.gguf) is of a kind that Sepia does not support (pixtral)'],
      [false, null, 'its mmproj file (mmproj-cut.gguf) has a damaged header'],
      [false, null, 'its mmproj file (mmproj-chat.gguf) is a web page, not weights'],
      [true, 'mmproj-eyes-Q8_0.gguf', null],
    ])
    const smol = catalog.find('SmolVLM-256M-Instruct-Q8_0')
    assert.equal(smol?.bytes, text.length + writeMmproj('idefics3', 64).length, 'its memory is included')
  })

  it('reads images with the projector that its model.json names', async () => {
    await using folder = await createTemporaryFolder()
    const named = { id: 'seeing', kind: 'text', format: 'gguf', file: 'model.gguf', projector: 'eyes.gguf' }
    await writeFiles(folder.path, {
      'seeing/model.json': Buffer.from(JSON.stringify(named)),
      'seeing/model.gguf': header('llama'),
      'seeing/eyes.gguf': writeMmproj('mlp', 64),
    })
    const model = (await openCatalog({ folders: [folder.path] })).find('seeing')
    assert.ok(model?.kind === 'text' && model.vision === true)
    assert.equal(model.projector, join(folder.path, 'seeing/eyes.gguf'))
    await writeFiles(folder.path, { 'seeing/eyes.gguf': writeMmproj('mlp', 64).subarray(0, 100) })
    const damaged = (await openCatalog({ folders: [folder.path] })).find('seeing')
    assert.ok(damaged?.kind === 'text')
    assert.equal(damaged.blindness, 'its mmproj file (eyes.gguf) has a damaged header; copy it again')
    await writeFiles(folder.path, { 'seeing/eyes.gguf': Buffer.concat([Buffer.from('GGUF\0\0\0\x03'), Buffer.alloc(56)]) })
    const foreign = (await openCatalog({ folders: [folder.path] })).find('seeing')
    assert.ok(foreign?.kind === 'text')
    assert.equal(foreign.blindness, 'its mmproj file (eyes.gguf) is a big-endian GGUF file; use a little-endian one')
  })
})
