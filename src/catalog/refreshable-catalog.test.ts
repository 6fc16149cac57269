import assert from 'node:assert/strict'
import { mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { removeModel } from './pulled-folder.ts'
import { openCatalog } from './refreshable-catalog.ts'

const options = { signal: new AbortController().signal }

/** Puts a complete model into a folder in one step, like a pull. */
async function install(pulledFolder: string, name: string, modelFile: object = {}, weights = 'weights'): Promise<void> {
  const unfinished = join(pulledFolder, `.pulling-${name}`)
  await mkdir(unfinished, { recursive: true })
  await writeFile(join(unfinished, 'model.gguf'), weights)
  await writeFile(
    join(unfinished, 'model.json'),
    JSON.stringify({ id: name, kind: 'text', format: 'gguf', file: 'model.gguf', ...modelFile }),
  )
  await rename(unfinished, join(pulledFolder, name))
}

async function openFolders(path: string) {
  const [fixed, pulledFolder] = [join(path, 'fixed'), join(path, 'pulled')]
  await install(fixed, 'fixed')
  const catalog = await openCatalog({ folders: [fixed], pulledFolder })
  const ids = () => catalog.list().map(({ id }) => id)
  return { catalog, pulledFolder, ids }
}

test('a refresh adds a pulled model and removes a deleted one, even if the folder did not exist', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  assert.deepEqual(await catalog.refresh(options), { added: [], removed: [], faults: [] })
  await install(pulledFolder, 'new')
  assert.deepEqual(ids(), ['fixed'])
  assert.deepEqual(await catalog.refresh(options), { added: ['new'], removed: [], faults: [] })
  const model = catalog.find('new')
  assert.ok(model)
  assert.deepEqual(ids(), ['fixed', 'new'])
  await removeModel(model)
  assert.deepEqual(await catalog.refresh(options), { added: [], removed: ['new'], faults: [] })
  assert.equal(catalog.find('new'), undefined)
  await rm(pulledFolder, { recursive: true })
  await catalog.refresh(options)
  assert.deepEqual(ids(), ['fixed'])
})

test('a replaced model is reported as removed and added', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder } = await openFolders(folder.path)
  await install(pulledFolder, 'new')
  await catalog.refresh(options)
  await removeModel({ folder: join(pulledFolder, 'new') })
  await install(pulledFolder, 'new', {}, 'more weights')
  assert.deepEqual(await catalog.refresh(options), { added: ['new'], removed: ['new'], faults: [] })
})

test('a pulled model whose file is edited is replaced once the file is stable, and is not read half written', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  await install(pulledFolder, 'new')
  await catalog.refresh(options)
  const file = join(pulledFolder, 'new', 'model.json')
  const edited = JSON.stringify({ id: 'new', kind: 'text', format: 'gguf', file: 'model.gguf', contextLength: 512 })
  for (const written of [edited.slice(0, 20), edited]) {
    await writeFile(file, written)
    assert.deepEqual(await catalog.refresh(options), { added: [], removed: [], faults: [] })
  }
  assert.deepEqual(await catalog.refresh(options), { added: ['new'], removed: ['new'], faults: [] })
  const model = catalog.find('new')
  assert.equal(model?.kind === 'text' && model.contextLength, 512)
  assert.deepEqual(await catalog.refresh(options), { added: [], removed: [], faults: [] })
  await writeFile(file, 'no JSON')
  for (let looks = 0; looks < 2; looks++) await catalog.refresh(options)
  assert.deepEqual(ids(), ['fixed'])
  await writeFile(file, edited)
  for (let looks = 0; looks < 2; looks++) await catalog.refresh(options)
  assert.deepEqual(ids(), ['fixed', 'new'])
})

test('a brief refresh checks pulled models, and other folders only while they change', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  const briefly = { ...options, isBrief: true }
  await install(pulledFolder, 'new')
  await install(join(folder.path, 'fixed'), 'copied')
  for (let looks = 0; looks < 3; looks++) await catalog.refresh(briefly)
  assert.deepEqual(ids(), ['fixed', 'new'])
  await catalog.refresh(options)
  assert.deepEqual(await catalog.refresh(briefly), { added: ['copied'], removed: [], faults: [] })
})

test('a refresh leaves out a faulty folder and keeps the other models', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  await install(pulledFolder, 'works')
  await catalog.refresh(options)
  await install(pulledFolder, 'a-broken', { contextLength: -1 })
  await install(pulledFolder, 'a-rival', { id: 'works' })
  await install(pulledFolder, 'a-second', { id: 'fixed' })
  const { added, removed, faults } = await catalog.refresh(options)
  assert.deepEqual([added, removed], [[], []])
  assert.deepEqual(faults.map(({ file, field }) => [file.slice(pulledFolder.length), field]).toSorted(), [
    ['/a-broken/model.json', 'contextLength'],
    ['/a-rival/model.json', 'id'],
    ['/a-second/model.json', 'id'],
  ])
  assert.deepEqual(ids(), ['fixed', 'works'])
  assert.equal(catalog.find('works')?.folder, join(pulledFolder, 'works'))
})

test('pulled models inside a configured folder are only those of the folder of pulled models', async () => {
  await using folder = await createTemporaryFolder()
  const [pulledFolder, uploads] = [join(folder.path, 'data', 'models'), join(folder.path, 'data', 'assets')]
  await install(pulledFolder, 'one')
  await install(uploads, 'private')
  const catalog = await openCatalog({ folders: [folder.path], pulledFolder, apart: [uploads] })
  const ids = () => catalog.list().map(({ id }) => id)
  assert.deepEqual([ids(), catalog.faults], [['one'], []])
  await install(pulledFolder, 'two')
  assert.deepEqual(await catalog.refresh(options), { added: ['two'], removed: [], faults: [] })
  await catalog.refresh(options)
  assert.deepEqual([ids(), catalog.faults], [['one', 'two'], []])
})

test('at start a faulty pulled model is left out, listed, and reported to requests that name it', async () => {
  await using folder = await createTemporaryFolder()
  await install(folder.path, 'broken', { contextLength: -1 })
  const catalog = await openCatalog({ folders: [], pulledFolder: folder.path })
  assert.deepEqual([catalog.list(), catalog.faults.map(({ field }) => field)], [[], ['contextLength']])
  assert.match(catalog.findUnusable('broken')?.reason ?? '', /^is left out: in its model\.json, contextLength must be/)
})

test('concurrent refreshes end with the contents of the folder', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  await install(pulledFolder, 'one')
  const first = catalog.refresh(options)
  await install(pulledFolder, 'two')
  await Promise.all([first, catalog.refresh(options)])
  assert.deepEqual(ids(), ['fixed', 'one', 'two'])
})

test('an aborted refresh changes nothing and does not delay the next', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  await install(pulledFolder, 'new')
  await assert.rejects(catalog.refresh({ signal: AbortSignal.abort(new Error('stopped')) }), /stopped/)
  assert.deepEqual(ids(), ['fixed'])
  await catalog.refresh(options)
  assert.deepEqual(ids(), ['fixed', 'new'])
})

test('a configured folder is read again when copied files are stable', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, ids } = await openFolders(folder.path)
  const fixed = join(folder.path, 'fixed')
  const nothing = { added: [], removed: [], faults: [] }
  assert.deepEqual(await catalog.refresh(options), nothing)
  await install(fixed, 'second', {}, 'first half, ')
  assert.deepEqual(await catalog.refresh(options), nothing)
  // Still growing: two looks in a row must find the same size.
  await writeFile(join(fixed, 'second', 'model.gguf'), 'first half, second half')
  assert.deepEqual(await catalog.refresh(options), nothing)
  assert.deepEqual(await catalog.refresh(options), { added: ['second'], removed: [], faults: [] })
  assert.deepEqual(await catalog.refresh(options), nothing)
  assert.deepEqual(ids(), ['fixed', 'second'])
  await rm(join(fixed, 'fixed'), { recursive: true })
  await catalog.refresh(options)
  assert.deepEqual(await catalog.refresh(options), { added: [], removed: ['fixed'], faults: [] })
  assert.deepEqual(ids(), ['second'])
})

test('a model copied into a configured folder does not take the name of another', async () => {
  await using folder = await createTemporaryFolder()
  const { catalog, pulledFolder, ids } = await openFolders(folder.path)
  await install(pulledFolder, 'new')
  await catalog.refresh(options)
  await install(join(folder.path, 'fixed'), 'other', { id: 'new' })
  await catalog.refresh(options)
  const { added, removed, faults } = await catalog.refresh(options)
  assert.deepEqual([added, removed, faults.length], [[], [], 1])
  assert.deepEqual(ids(), ['fixed', 'new'])
})

test('a model whose workflow was replaced is removed and added, even by an older file of the same length', async () => {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, 'comfy/workflow.json')
  const workflow = (text: string) => JSON.stringify({ 6: { class_type: 'CLIPTextEncode', inputs: { text } } })
  await mkdir(join(folder.path, 'comfy'))
  await writeFile(
    join(folder.path, 'comfy/model.json'),
    JSON.stringify({ id: 'comfy', kind: 'image', format: 'comfyui', url: 'http://gpu:8188' }),
  )
  await writeFile(file, workflow('{{prompt}}, day'))
  const catalog = await openCatalog({ folders: [folder.path] })
  await writeFile(file, workflow('{{prompt}}, sun'))
  await utimes(file, 1, 1)
  assert.deepEqual(await catalog.refresh(options), { added: [], removed: [], faults: [] })
  assert.deepEqual(await catalog.refresh(options), { added: ['comfy'], removed: ['comfy'], faults: [] })
})

test('models of a folder that is configured twice, or is the folder of pulled models, are listed once without a fault', async () => {
  await using folder = await createTemporaryFolder()
  const [own, pulledFolder] = [join(folder.path, 'own'), join(folder.path, 'pulled')]
  await install(own, 'mine')
  await install(pulledFolder, 'pulled')
  const catalog = await openCatalog({ builtIn: own, folders: [own, pulledFolder], pulledFolder })
  assert.deepEqual([catalog.list().map(({ id }) => id), catalog.faults], [['mine', 'pulled'], []])
})
