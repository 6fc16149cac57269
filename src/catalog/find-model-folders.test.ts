import assert from 'node:assert/strict'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { findModelFolders } from './find-model-folders.ts'
import { markFolder } from './settled-folders.ts'

async function makeFolder(files: readonly string[]) {
  const folder = await createTemporaryFolder()
  for (const path of files) {
    await mkdir(join(folder.path, path, '..'), { recursive: true })
    await writeFile(join(folder.path, path), '')
  }
  return folder
}

for (const target of ['/', '..'])
  test(`a link to ${target} above the models folder is reported, and nothing behind it is searched or watched`, async () => {
    await using parent = await makeFolder(['beside.gguf', 'models/a/one.gguf'])
    const models = join(parent.path, 'models')
    await symlink(target === '/' ? '/' : parent.path, join(models, 'a', 'up'))
    const { loose, faults } = await findModelFolders([models])
    assert.deepEqual(
      loose.map(({ path }) => path),
      [join(models, 'a/one.gguf')],
    )
    const message = 'is a link to a folder above it, which is not followed; remove it.'
    assert.deepEqual(faults, [{ file: join(models, 'a/up'), field: '', message }])
    const marked = await markFolder(models)
    await writeFile(join(parent.path, 'later.gguf'), '')
    assert.equal(await markFolder(models), marked)
  })

for (const bounds of [
  { folders: 2, names: 100 },
  { folders: 100, names: 4 },
])
  test(`at most ${bounds.folders} folders and ${bounds.names} names are searched, and the limit is reported`, async () => {
    await using folder = await makeFolder(['a/1.gguf', 'b/2.gguf', 'c/3.gguf', 'd/4.gguf'])
    const { loose, faults } = await findModelFolders([folder.path], bounds)
    assert.ok(loose.length < 4, String(loose.length))
    const message = `holds more than ${bounds.folders} folders or ${bounds.names} files; those beyond are not searched for models.`
    assert.deepEqual(faults, [{ file: folder.path, field: '', message }])
  })

test('of a folder with more names than are looked at, the first are searched', async () => {
  await using folder = await makeFolder(['1.gguf', '2.gguf', '3.gguf'])
  const { loose, faults } = await findModelFolders([folder.path], { folders: 100, names: 2 })
  assert.deepEqual(
    loose.map(({ path }) => path),
    ['1.gguf', '2.gguf'].map((name) => join(folder.path, name)),
  )
  assert.equal(faults.length, 1)
})

test('a folder configured twice, inside another or by a link counts once, for the first', async () => {
  await using folder = await makeFolder(['outer/a/model.json', 'outer/b/model.json', 'outer/b.gguf'])
  const outer = join(folder.path, 'outer')
  await symlink(outer, join(folder.path, 'link'))
  const { found, loose, faults } = await findModelFolders([join(outer, 'b'), outer, outer, join(folder.path, 'link'), join(outer, 'a')])
  assert.deepEqual(
    found.map(({ folder: path, source }) => [path, source]),
    [
      [join(outer, 'b'), 0],
      [join(outer, 'a'), 1],
    ],
  )
  assert.deepEqual([loose.length, faults], [1, []])
})

test("the service's own folders are not searched within a configured folder, only as one", async () => {
  await using folder = await makeFolder(['data/models/a/model.json', 'data/assets/b.safetensors', 'c.gguf'])
  const apart = ['models', 'assets', 'absent'].map((name) => join(folder.path, 'data', name))
  const { found, loose } = await findModelFolders([folder.path], undefined, apart)
  assert.deepEqual([found, loose.map(({ path }) => path)], [[], [join(folder.path, 'c.gguf')]])
  const { loose: inside } = await findModelFolders([join(folder.path, 'data/assets')], undefined, apart)
  assert.equal(inside.length, 1)
})
