import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { makeTextRequest } from '../../../test/support/text-request.ts'
import type { CatalogChange, RefreshableCatalog } from '../../catalog/refreshable-catalog.ts'
import type { UnusableFile } from '../../core/assets/asset.ts'
import type { ModelDescriptor } from '../../core/model.ts'
import { createModelPool } from '../../residency/model-pool.ts'
import { createFakeCatalog, describeFakeText } from '../../runtimes/fake/fake-catalog.ts'
import { FakeModelLoader } from '../../runtimes/fake/fake-model-loader.ts'
import { createLog } from '../../telemetry/log.ts'
import { createTelemetry } from '../../telemetry/telemetry.ts'
import { followPulledModels } from './follow-pulled-models.ts'

const { signal } = new AbortController()
const options = { signal, account: 'a' }
const limits = { memoryBytes: 1e12, idleUnloadMs: null, textSlots: 1, textQueue: 8, imageQueue: 2, waitLimitMs: 60_000 }
const unchanged: CatalogChange = { added: [], removed: [], faults: [] }

/** A catalog whose next refresh is set by hand. */
function handCatalog(first: readonly ModelDescriptor[], unusable: readonly UnusableFile[]) {
  let models = first
  let next: { readonly models: readonly ModelDescriptor[]; readonly change: CatalogChange } | null = null
  const catalog: RefreshableCatalog = {
    list: () => models,
    find: (id) => createFakeCatalog(models).find(id),
    defaultImageModel: () => undefined,
    listAssets: () => [],
    findAsset: () => undefined,
    findUnusable: () => undefined,
    ignoredFields: [],
    faults: [],
    unusable,
    refresh: async () => {
      const change = next?.change ?? unchanged
      models = next?.models ?? models
      next = null
      return change
    },
  }
  const become = (after: readonly ModelDescriptor[], change: Partial<CatalogChange>) => {
    next = { models: after, change: { ...unchanged, ...change } }
  }
  return { catalog, become }
}

async function open(models: readonly ModelDescriptor[], pulledFolder = '/models', unusable: readonly UnusableFile[] = []) {
  const clock = createTestClock()
  const { catalog, become } = handCatalog(models, unusable)
  const loader = new FakeModelLoader({ clock, slots: 1 })
  const lines: string[] = []
  const telemetry = createTelemetry(createLog({ format: 'json', level: 'info' }, { write: (line) => void lines.push(line) }))
  const parts = new AsyncDisposableStack()
  const pool = parts.use(createModelPool({ catalog, loader, clock, limits, onEvent: () => {} }))
  const pulled = parts.use(followPulledModels({ catalog, pool, clock, telemetry, pulledFolder }))
  return { clock, become, loader, pool, pulled, lines, parts }
}

test('only models in the folder of pulled models may be removed', async () => {
  const { pulled, parts } = await open([])
  assert.deepEqual(
    ['/models/small', '/models', '/models/a/b', '/elsewhere/small'].map((folder) => pulled.has({ folder })),
    [true, false, false, false],
  )
  const beside = { kind: 'text', folder: '/models', file: '/models/imported.gguf' } as const
  assert.deepEqual([pulled.has(beside), pulled.has({ ...beside, folder: '/elsewhere', file: '/elsewhere/x.gguf' })], [true, false])
  // The catalog lists it until its next refresh.
  assert.ok(pulled.has({ ...beside, folder: '/models/just-removed', file: '/models/just-removed/x.gguf' }))
  await parts.disposeAsync()
})

test('removing an imported model removes the link, and neither its target nor the files beside it', async () => {
  await using folder = await createTemporaryFolder()
  const [ours, theirs] = [join(folder.path, 'ours'), join(folder.path, 'theirs.gguf')]
  await mkdir(join(ours, 'other'), { recursive: true })
  await writeFile(theirs, 'GGUF')
  await symlink(theirs, join(ours, 'imported.gguf'))
  const { pulled, parts } = await open([], ours)
  await using _parts = parts
  await pulled.remove({ folder: ours, file: join(ours, 'imported.gguf') })
  assert.deepEqual([await readdir(ours), await readFile(theirs, 'utf8')], [['other'], 'GGUF'])
})

test('a model in a folder without a model.json does not count as pulled, since other files may be beside it', async () => {
  await using folder = await createTemporaryFolder()
  const inside = join(folder.path, 'inside')
  await mkdir(inside)
  const { pulled, parts } = await open([], folder.path)
  await using _parts = parts
  const model = { kind: 'text', folder: inside, file: join(inside, 'weights.gguf') } as const
  assert.equal(pulled.has(model), false, 'other files may be beside it')
  await writeFile(join(inside, 'model.json'), '{}')
  assert.equal(pulled.has(model), true)
})

test('a file left out of the folder of pulled models is found by its name, unless several files have it', async () => {
  const left = (name: string, file: string): UnusableFile => ({ name, file, reason: 'is empty' })
  const files = [left('flux', '/models/flux.gguf'), left('twice', '/models/twice.gguf'), left('twice', '/models/twice.safetensors')]
  const { pulled, parts } = await open([], '/models', [...files, left('flux', '/elsewhere/flux.gguf'), left('far', '/elsewhere/far.gguf')])
  await using _parts = parts
  assert.deepEqual(pulled.findLeftOut('flux'), { folder: '/models', file: '/models/flux.gguf' })
  assert.deepEqual([pulled.findLeftOut('far'), pulled.findLeftOut('near')], [undefined, undefined])
  const message = 'twice names several files: /models/twice.gguf, /models/twice.safetensors; delete the wrong one there.'
  assert.throws(() => pulled.findLeftOut('twice'), { code: 'validation_error', message })
})

test('removing a file left out of the folder of pulled models deletes the file, or the folder that describes it', async () => {
  await using folder = await createTemporaryFolder()
  const paths = (...names: readonly string[]) => join(folder.path, ...names)
  await mkdir(paths('wrong', 'unet'), { recursive: true })
  await writeFile(paths('wrong', 'model.json'), '{')
  const left = ['broken.gguf', 'wrong/model.json', 'shared/broken.gguf'].map((name) => ({ name, file: paths(name), reason: 'is empty' }))
  const elsewhere = { name: 'far', file: '/elsewhere/far.gguf', reason: 'is empty' }
  const { pulled, parts } = await open([], folder.path, [...left, elsewhere])
  await using _parts = parts
  assert.deepEqual(
    [...left.map(({ file }) => file), elsewhere.file, paths('sound.gguf'), paths('wrong')].map((file) => pulled.removalOf(file)),
    [paths('broken.gguf'), paths('wrong'), undefined, undefined, undefined, undefined],
  )
})

test('concurrent removals all succeed, and also remove what an earlier one left behind', async () => {
  await using folder = await createTemporaryFolder()
  const place = join(folder.path, 'small')
  for (const path of [join(place, 'a', 'b'), join(folder.path, '.removing-small', 'c')]) await mkdir(path, { recursive: true })
  for (let each = 0; each < 200; each++) await writeFile(join(place, 'a', 'b', `${each}`), 'x')
  await writeFile(join(place, 'model.json'), '{}')
  const { pulled, parts } = await open([], folder.path)
  await Promise.all([1, 2, 3].map(() => pulled.remove({ folder: place })))
  await parts.disposeAsync()
  assert.deepEqual(await readdir(folder.path), [])
})

test('a file whose name is nearly as long as a name may be is removed', async () => {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, `${'m'.repeat(240)}.gguf`)
  await writeFile(file, '')
  const { pulled, parts } = await open([], folder.path)
  await using _parts = parts
  await pulled.remove({ folder: folder.path, file })
  assert.deepEqual(await readdir(folder.path), [])
})

test('an added model can be used within two seconds', async () => {
  const { clock, become, pool, parts } = await open([])
  await using _parts = parts
  await clock.waiting(1)
  become([describeFakeText()], { added: ['fake-chat'] })
  await assert.rejects(pool.acquireText('fake-chat', options), { code: 'model_not_found' })
  await clock.advance(2000)
  await using lease = await pool.acquireText('fake-chat', options)
  assert.ok((await Array.fromAsync(lease.model.generate(makeTextRequest('hello'), options))).length > 0)
})

test('a removed model takes no requests, finishes the running ones and leaves memory', async () => {
  const { clock, become, loader, pool, parts } = await open([describeFakeText(), describeFakeText({ id: 'other' })])
  await using _parts = parts
  await pool.load('other', { signal })
  const lease = await pool.acquireText('fake-chat', options)
  const waiting = assert.rejects(pool.acquireText('fake-chat', options), { code: 'model_not_found' })
  become([describeFakeText({ id: 'other' })], { removed: ['fake-chat'] })
  await clock.advance(2000)
  await assert.rejects(pool.acquireText('fake-chat', options), { code: 'model_not_found' })
  assert.deepEqual(loader.loaded, ['other', 'fake-chat'])
  assert.ok(pool.states().some(({ modelId, inUse }) => modelId === 'fake-chat' && inUse === 1))
  await lease[Symbol.asyncDispose]()
  await waiting
  assert.deepEqual(loader.loaded, ['other'])
  assert.deepEqual(
    pool.states().map(({ modelId }) => modelId),
    ['other'],
  )
})

test('a replaced model is loaded again by the next request', async () => {
  const { clock, become, loader, pool, parts } = await open([describeFakeText()])
  await using _parts = parts
  await pool.load('fake-chat', { signal })
  become([describeFakeText({ bytes: 2_000_000 })], { added: ['fake-chat'], removed: ['fake-chat'] })
  await clock.advance(2000)
  await using _lease = await pool.acquireText('fake-chat', options)
  assert.equal(loader.attempts('fake-chat'), 2)
})

test('faults are logged with how to fix them', async () => {
  const { clock, become, lines, parts } = await open([])
  await using _parts = parts
  become([], { faults: [{ file: '/models/x/model.json', field: 'id', message: 'is missing; add it.' }] })
  await clock.advance(2000)
  assert.match(lines.join(''), /fault survived/)
  assert.match(lines.join(''), /x\/model\.json: id: is missing; add it\./)
})

test('an added model is admitted at once, unless it has faults', async () => {
  const { become, pulled, pool, parts } = await open([])
  await using _parts = parts
  const model = describeFakeText()
  become([], { faults: [{ file: '/models/x/model.json', field: 'id', message: 'is missing; add it.' }] })
  await assert.rejects(pulled.admit(model), /faults/)
  become([model], { added: [model.id] })
  await pulled.admit(model)
  await pool.load(model.id, { signal })
})
