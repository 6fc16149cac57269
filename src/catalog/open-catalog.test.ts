import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { writeFiles } from '../../test/support/temporary-folder.ts'
import { listedModels } from '../core/find-descriptor.ts'
import { CatalogError } from './catalog-fault.ts'
import { openCatalog } from './refreshable-catalog.ts'

const builtIn = fileURLToPath(new URL('../../models', import.meta.url))

async function makeFolder(context: TestContext, files: Record<string, string | object>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-catalog-'))
  context.after(() => rm(folder, { recursive: true }))
  const texts = Object.entries(files).map(([path, content]) => [path, typeof content === 'string' ? content : JSON.stringify(content)])
  await writeFiles(folder, Object.fromEntries(texts))
  return folder
}

async function readFaults(folders: string[]): Promise<string[]> {
  const { faults } = await openCatalog({ folders })
  return faults.map(({ file, field, message }) => `${file.replace(folders[0] ?? '', '')} ${field} ${message}`)
}

const text = (id: string) => ({ id, kind: 'text', format: 'gguf', file: 'model.gguf' })

test('describes the built-in models', async () => {
  const catalog = await openCatalog({ folders: [builtIn] })
  const chat = catalog.find('sepia-mini-chat')
  assert.ok(chat?.kind === 'text')
  assert.equal(chat.file, join(builtIn, 'sepia-mini-chat/model.gguf'))
  assert.deepEqual([chat.contextLength, chat.trainedLength], [1024, 1024])
  assert.equal(chat.bytes, 7_950_048)
  const image = catalog.find('sepia-mini-image')
  assert.ok(image?.kind === 'image')
  assert.deepEqual(image.sizes, { type: 'range', min: 64, max: 2048 })
  assert.deepEqual(image.defaults, { steps: 20, guidanceScale: 5, sampler: 'DDIM' })
  assert.deepEqual(image.bounds, { clipSkip: 2, lcmSteps: 50, refusedSamplers: {}, startsFromImage: true, takesSeeds: true })
  assert.equal(catalog.defaultImageModel(), image)
})

test('the default image model is the first one of a further folder', async (context) => {
  const files = ['unet', 'text_encoder', 'text_encoder_2', 'vae_decoder'].map((part) => `sdxl/${part}/model.onnx`)
  const tables = ['sdxl/tokenizer/vocab.json', 'sdxl/tokenizer/merges.txt', 'sdxl/tokenizer_2/tokenizer.json']
  const folder = await makeFolder(context, {
    ...Object.fromEntries([...files, ...tables, 'sdxl/scheduler/scheduler_config.json'].map((path) => [path, 'x'])),
    'refiner/unet/model.onnx_data': 'x'.repeat(5000),
    'sdxl/model.json': { id: 'sdxl', kind: 'image', format: 'onnx-sdxl', native: { width: 1024, height: 1024 }, refiner: '../refiner' },
  })
  const model = (await openCatalog({ builtIn, folders: [folder] })).defaultImageModel()
  assert.equal(model?.id, 'sdxl')
  assert.ok(model.sizes.type === 'list' && model.sizes.sizes.length === 9)
  assert.deepEqual(model.defaults, { steps: 30, guidanceScale: 12, sampler: 'DDIM' })
  assert.equal(model.refiner, join(folder, 'refiner'))
  assert.ok(model.bytes > 5000, 'the weights of the refiner are beside its graph')
  assert.deepEqual(model.bounds, { clipSkip: null, lcmSteps: null, refusedSamplers: {}, startsFromImage: false, takesSeeds: true })
})

test('a missing refiner is a fault', async (context) => {
  const model = { id: 'sdxl', kind: 'image', format: 'onnx-sdxl', native: { width: 1024, height: 1024 }, refiner: '../nowhere' }
  const folder = await makeFolder(context, { 'sdxl/model.json': model })
  assert.ok((await readFaults([folder])).some((fault) => /model\.json refiner is .*nowhere, which does not exist/.test(fault)))
})

test('a key file without a key is a fault that names the field and the file, never its contents', async (context) => {
  const model = (keyFile: string) => ({ id: 'far', kind: 'text', format: 'openai', url: 'http://far', keyFile })
  const faults: readonly [content: string, message: RegExp][] = [
    ['', /is empty; write the access key into it/],
    ['sk-1\nsk-2\n', /must hold only one key/],
    ['sk-1'.repeat(5000), /has 20000 bytes/],
  ]
  for (const [content, message] of faults) {
    const folder = await makeFolder(context, { 'model.json': model('key'), key: content })
    const [fault = ''] = await readFaults([folder])
    assert.match(fault, message)
    assert.ok(fault.startsWith(`/model.json keyFile names ${join(folder, 'key')}, which `) && !fault.includes('sk-'), fault)
  }
  const folder = await makeFolder(context, { 'model.json': model('keys'), 'keys/a': 'sk-1' })
  assert.match((await readFaults([folder])).join(), /keys, which is a folder; name the file/)
  for (const content of ['sk-1\r\n', '\uFEFFsk-1'])
    await openCatalog({ folders: [await makeFolder(context, { 'model.json': model('key'), key: content })] })
})

test('files named by a field of the wrong type are not looked for', async (context) => {
  const model = { id: 'a', kind: 'text', format: 'opnai', url: 'http://gpu:1', keyFile: ['key'], file: 5 }
  const folder = await makeFolder(context, { 'a/model.json': model })
  assert.deepEqual(await readFaults([folder]), ['/a/model.json format must be one of "gguf", "openai", "anthropic".'])
})

test('an image model whose noise schedule no sampler supports is a fault', async (context) => {
  const paths = ['unet', 'text_encoder', 'text_encoder_2', 'vae_decoder'].map((part) => `${part}/model.onnx`)
  const tables = ['tokenizer', 'tokenizer_2'].flatMap((part) => [`${part}/vocab.json`, `${part}/merges.txt`])
  const folder = await makeFolder(context, {
    ...Object.fromEntries([...paths, ...tables].map((path) => [path, 'x'])),
    'scheduler/scheduler_config.json': { _class_name: 'EDMDPMSolverMultistepScheduler' },
    'model.json': { id: 'playground', kind: 'image', format: 'onnx-sdxl', native: { width: 1024, height: 1024 } },
  })
  assert.match((await readFaults([folder])).join(), /scheduler_config\.json .*EDMDPMSolverMultistepScheduler/)
})

test('accepts a folder that is itself a model, and ignores folders without model.json', async (context) => {
  const folder = await makeFolder(context, { 'model.json': text('mine'), 'model.gguf': 'weights', 'notes/readme.txt': 'x' })
  const catalog = await openCatalog({ folders: [builtIn, folder] })
  assert.deepEqual(
    catalog.list().map(({ id }) => id),
    ['all-minilm-l6-v2', 'sepia-mini-chat', 'sepia-mini-image', 'smollm2-135m-instruct', 'mine'],
  )
})

test('leaves hidden models out of lists and defaults, and finds them by name', async (context) => {
  const image = { kind: 'image', format: 'openai-images', url: 'http://127.0.0.1:1' }
  const folder = await makeFolder(context, {
    'seen/model.json': { ...image, id: 'seen' },
    'gone/model.json': { ...image, id: 'gone', hidden: true },
  })
  const catalog = await openCatalog({ folders: [folder] })
  assert.deepEqual(
    listedModels(catalog).map(({ id }) => id),
    ['seen'],
  )
  assert.equal(catalog.find('gone')?.hidden, true)
  assert.equal(catalog.defaultImageModel()?.id, 'seen')
})

test('reads the sampling settings of a text model', async (context) => {
  const defaults = { temperature: 0.2, top_p: 0.9, top_k: 40, min_p: 0.05, repetition_penalty: 1.1 }
  const folder = await makeFolder(context, { 'model.json': { ...text('mine'), defaults }, 'model.gguf': 'weights' })
  const model = (await openCatalog({ folders: [folder] })).find('mine')
  assert.deepEqual(model?.defaults, { temperature: 0.2, topP: 0.9, topK: 40, minP: 0.05, repetitionPenalty: 1.1 })
  const wrong = await makeFolder(context, { 'model.json': { ...text('mine'), defaults: { temperature: 3 } }, 'model.gguf': 'weights' })
  assert.match((await readFaults([wrong])).join(), /defaults\.temperature/)
})

test('lists every fault of every folder; only an unreadable folder stops the start', async (context) => {
  const files = { 'model.gguf': { bytes: 3, sha256: '0'.repeat(64) }, 'gone.bin': { bytes: 3, sha256: '0'.repeat(64) } }
  const folder = await makeFolder(context, {
    'a/model.json': { ...text('a'), files },
    'a/model.gguf': 'four',
    'b/model.json': { ...text('b'), contextLength: -1 },
    'c/model.json': { ...text('same'), speculative: '../c/model.gguf' },
    'c/model.gguf': 'x',
    'd/model.json': text('same'),
    'd/model.gguf': 'x',
    'e/model.json': { ...text('e'), speculative: 'small.gguf' },
    'e/model.gguf': 'x',
    'f/model.json': { ...text('same'), contextLength: 3, speculative: 'small.gguf' },
    'g/model.json': { id: 'g', kind: 'text', format: 'openai', url: 'nowhere', keyFile: 'key' },
  })
  await assert.rejects(openCatalog({ folders: [folder, '/does/not/exist'] }), (error) => {
    assert.ok(error instanceof CatalogError)
    return error.faults.length === 1 && /is not a readable folder; create it or correct/.test(error.message)
  })
  assert.deepEqual(await readFaults([folder]), [
    '/a/model.gguf  has 4 bytes instead of 3; copy it again or correct "files" in model.json.',
    '/a/gone.bin  is missing; copy the whole model folder again.',
    '/b/model.json contextLength must be an integer from 64 to 1048576.',
    '/b/model.gguf  is missing; copy the whole model folder again.',
    '/e/small.gguf  is missing; copy the whole model folder again.',
    '/f/model.json contextLength must be an integer from 64 to 1048576.',
    '/f/model.gguf  is missing; copy the whole model folder again.',
    '/f/small.gguf  is missing; copy the whole model folder again.',
    '/g/model.json url must be an address that begins with http:// or https://, without "?" or "#".',
    `/g/model.json keyFile names ${join(folder, 'g/key')}, which is missing; write the access key into it.`,
    `/d/model.json id same is already the id of ${folder}/c/model.json; choose another.`,
    `/f/model.json id same is already the id of ${folder}/c/model.json; choose another.`,
  ])
})

test('describes image models on another server, including their known limits', async (context) => {
  const timeouts = { connect: 1, first: 90, idle: 2 }
  const folder = await makeFolder(context, {
    'a/model.json': { id: 'forge', kind: 'image', format: 'a1111', url: 'http://gpu:7860/', keyFile: 'key' },
    'a/key': 'me:secret',
    'b/model.json': { id: 'cpp', kind: 'image', format: 'sd-server', url: 'http://gpu:1234', slots: 4, timeouts },
    'c/model.json': { id: 'comfy', kind: 'image', format: 'comfyui', url: 'http://gpu:8188', native: { width: 512, height: 512 } },
    'c/workflow.json': { 6: { class_type: 'CLIPTextEncode', inputs: { text: '{{prompt}} {{width}}' } } },
    'd/model.json': { id: 'far', kind: 'image', format: 'openai-images', url: 'https://api.example.org/v1', model: 'painter' },
  })
  const catalog = await openCatalog({ folders: [folder] })
  const [forge, cpp, comfy, far] = ['forge', 'cpp', 'comfy', 'far'].map((id) => {
    const found = catalog.find(id)
    assert.ok(found?.kind === 'image')
    return found
  })
  const patience = { connectMs: 5000, firstMs: null, idleMs: 60_000 }
  assert.deepEqual(forge?.upstream, {
    url: 'http://gpu:7860',
    model: 'forge',
    keyFile: join(folder, 'a/key'),
    slots: 1,
    timeouts: patience,
  })
  assert.deepEqual(cpp?.upstream?.timeouts, { connectMs: 1000, firstMs: 90_000, idleMs: 2000 })
  assert.deepEqual(far?.upstream?.timeouts, { ...patience, firstMs: 600_000 })
  assert.deepEqual([forge?.bytes, forge?.native.width], [0, 1024])
  assert.deepEqual([cpp?.upstream?.slots, cpp?.defaults.sampler], [4, 'K_EULER'])
  assert.ok(cpp?.bounds?.refusedSamplers.DDIM !== undefined && cpp.bounds.refusedSamplers.K_EULER === undefined)
  assert.deepEqual([comfy?.workflow?.open, comfy?.native.width], [['prompt', 'width'], 512])
  // Options without a placeholder in the workflow are not supported.
  assert.deepEqual([comfy?.bounds?.startsFromImage, comfy?.bounds?.takesSeeds], [false, false])
  assert.deepEqual(comfy?.sizes, { type: 'list', sizes: [{ width: 512, height: 512 }] })
  assert.deepEqual([far?.upstream?.model, far?.bounds?.startsFromImage, far?.bounds?.takesSeeds], ['painter', false, false])
})

test('a native size with one side takes the other from the usual size', async (context) => {
  const folder = await makeFolder(context, {
    'model.json': { id: 'far', kind: 'image', format: 'a1111', url: 'http://gpu:7860', native: { width: 512 } },
  })
  const model = (await openCatalog({ folders: [folder] })).find('far')
  assert.ok(model?.kind === 'image')
  assert.deepEqual(model.native, { width: 512, height: 1024 })
})

test('fields without effect on image models of another server do not stop the start, and are reported', async (context) => {
  const fields = { draws: 'native', timestepSpacing: 'trailing', refiner: '.' }
  const folder = await makeFolder(context, {
    'a/model.json': { id: 'forge', kind: 'image', format: 'a1111', url: 'http://gpu:7860/', ...fields },
    'b/model.json': { id: 'cpp', kind: 'image', format: 'sd-server', url: 'http://gpu:1234', native: { width: 512, height: 512 } },
  })
  const catalog = await openCatalog({ folders: [folder] })
  assert.deepEqual(
    catalog.ignoredFields.map(({ file, field, message }) => [file, field, /^has no effect .* remove it\b.*\.$/.test(message)]),
    Object.keys(fields).map((field) => [join(folder, 'a/model.json'), field, true]),
  )
  const forge = catalog.find('forge')
  assert.ok(forge?.kind === 'image')
  // A request for the refiner is rejected: there is none.
  assert.deepEqual([forge.refiner, forge.timestepSpacing], [null, null])
})

test('a server without its address or its workflow is a fault', async (context) => {
  const folder = await makeFolder(context, {
    'a/model.json': { id: 'forge', kind: 'image', format: 'a1111' },
    'c/model.json': { id: 'comfy', kind: 'image', format: 'comfyui', url: 'http://gpu:8188', workflow: 'other.json' },
    'd/model.json': { id: 'far', kind: 'image', format: 'midjourney' },
    'e/model.json': { id: 'cpp', kind: 'image', format: 'sd-server', url: 'http://gpu:1234', timeouts: { idle: 0, frist: 3 } },
    'f/model.json': { id: 'empty', kind: 'image', format: 'comfyui', url: 'http://gpu:8188' },
    'f/workflow.json': {},
  })
  const faults = (await readFaults([folder])).join('\n')
  assert.match(faults, /a\/model\.json url is required/)
  assert.match(faults, /c\/other\.json {2}is missing; export it in ComfyUI with "Export \(API\)"/)
  assert.match(faults, /f\/workflow\.json {2}has no \{\{prompt\}\}; write it where the prompt goes\./)
  assert.match(faults, /e\/model\.json timeouts\.idle must be a number from 0\.1 to 86400\./)
  assert.match(faults, /e\/model\.json timeouts\.frist is not a known field/)
  assert.match(faults, /d\/model\.json format must be one of "onnx-sdxl", "safetensors", "a1111"/)
})
