import assert from 'node:assert/strict'
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ggufValue, writeGguf } from '../../test/support/model-files/gguf-file.ts'
import { unpackGoldenCheckpoints } from '../../test/support/model-files/golden-checkpoints.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { planPull, pullModel } from './pull-model.ts'
import { openCatalog } from './refreshable-catalog.ts'

const hub = { endpoint: 'https://hub.invalid', token: null, trustedHosts: [], offline: true, wait: async () => {} }
const options = { signal: new AbortController().signal, onProgress: () => {} }
const gguf = writeGguf(
  [['general.architecture', ggufValue('llama')]],
  [{ name: 'token_embd.weight', shape: [10, 10], type: 0, data: Buffer.alloc(400) }],
)

async function folders(temporary: { readonly path: string }) {
  const [from, modelsFolder] = [join(temporary.path, 'My Model'), join(temporary.path, 'pulled')]
  await mkdir(from)
  await mkdir(modelsFolder)
  return { from, deps: { modelsFolder, hub } }
}

test('a folder with a GGUF model needs no model.json: the usual quantization is pulled, named after the folder', async () => {
  await using temporary = await createTemporaryFolder()
  const { from, deps } = await folders(temporary)
  await mkdir(join(from, 'sub'))
  await mkdir(join(from, '.cache'))
  for (const name of ['tiny-Q8_0.gguf', 'sub/tiny-Q4_K_M.gguf', '.cache/other-Q4_K_M.gguf']) await writeFile(join(from, name), gguf)
  const pulled = await pullModel(deps, from, options)
  assert.deepEqual([pulled.id, pulled.kind], ['my-model', 'text'])
  assert.deepEqual((await readdir(pulled.folder)).toSorted(), ['model.json', 'tiny-Q4_K_M.gguf'])
  assert.equal((await openCatalog({ folders: [deps.modelsFolder] })).list().length, 1)
})

test('a model.json without a list of files includes all files beside it, except pickles', async () => {
  await using temporary = await createTemporaryFolder()
  const { from, deps } = await folders(temporary)
  const modelFile = { id: 'mine', name: 'Mine', kind: 'text', format: 'gguf', file: 'weights/tiny.gguf' }
  await writeFile(join(from, 'model.json'), JSON.stringify(modelFile))
  await mkdir(join(from, 'weights'))
  await writeFile(join(from, 'weights', 'tiny.gguf'), gguf)
  await writeFile(join(from, 'old.bin'), 'pickle')
  const plan = await planPull(deps, from, options)
  assert.deepEqual([plan.id, plan.bytes], ['mine', gguf.length])
  assert.match(plan.notes.join(' '), /records the SHA-256/)
  const pulled = await pullModel(deps, from, options)
  assert.deepEqual([pulled.id, pulled.name], ['mine', 'Mine'])
  assert.deepEqual(await readdir(join(pulled.folder, 'weights')), ['tiny.gguf'])
  assert.deepEqual((await readdir(pulled.folder)).toSorted(), ['model.json', 'weights'])

  await writeFile(join(from, 'model.json'), JSON.stringify({ ...modelFile, id: 'cut' }))
  await writeFile(join(from, 'weights', 'tiny.gguf'), gguf.subarray(0, -32))
  await assert.rejects(pullModel(deps, from, options), /^Error: tiny\.gguf is cut short/)
})

test('an empty weights file is not a model', async () => {
  await using temporary = await createTemporaryFolder()
  const { from, deps } = await folders(temporary)
  for (const name of ['none.gguf', 'none.safetensors']) {
    await writeFile(join(from, name), '')
    await assert.rejects(pullModel(deps, join(from, name), options), { message: `${name} is empty; copy it again.` })
  }
})

test('a folder in diffusers’ layout is copied whole, following links and leaving out pickles', async () => {
  await using temporary = await createTemporaryFolder()
  const { from, deps } = await folders(temporary)
  await unpackGoldenCheckpoints(from, (path) => path.startsWith('xl-diffusers/'))
  const source = join(from, 'xl-diffusers')
  await writeFile(join(source, 'unet', 'old.bin'), 'pickle')
  const weights = join(source, 'unet', 'diffusion_pytorch_model.safetensors')
  await rename(weights, join(from, 'blob'))
  await symlink('../../blob', weights)
  const pulled = await pullModel(deps, source, options)
  assert.deepEqual([pulled.id, pulled.kind === 'image' && pulled.checkpoint?.family], ['xl-diffusers', 'sdxl'])
  assert.deepEqual((await readdir(join(pulled.folder, 'unet'))).toSorted(), ['config.json', 'diffusion_pytorch_model.safetensors'])
})

test('the only checkpoint of a folder is its model; with several one must be named, and a folder without one is rejected', async () => {
  await using temporary = await createTemporaryFolder()
  const { from, deps } = await folders(temporary)
  await assert.rejects(pullModel(deps, from, options), /has no model\.json, no GGUF file/)
  await unpackGoldenCheckpoints(from, (path) => path === 'sd15.safetensors')
  const { id, bytes, notes } = await planPull(deps, from, options)
  assert.deepEqual([id, bytes > 1_000_000], ['my-model', true])
  assert.match(notes.join(' '), /records the SHA-256/)
  await writeFile(join(from, 'second.safetensors'), 'x')
  await assert.rejects(pullModel(deps, from, options), /several models; pull one of them by its path: .*sd15\.safetensors, .*second/)
})

test('--offline allows only local paths', async () => {
  await using temporary = await createTemporaryFolder()
  const { from, deps } = await folders(temporary)
  for (const source of ['hf:a/b', 'https://models.invalid/x.gguf', 'https://models.invalid/model.json'])
    await assert.rejects(pullModel(deps, source, options), /is not on this machine, and --offline allows only local paths/)
  await writeFile(join(from, 'tiny.gguf'), gguf)
  assert.equal((await pullModel(deps, join(from, 'tiny.gguf'), options)).id, 'tiny')
})
