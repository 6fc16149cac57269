import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { suite, test } from 'node:test'
import { ggufValue, writeGguf } from '../../test/support/model-files/gguf-file.ts'
import { safetensorsFile } from '../../test/support/model-files/safetensors-file.ts'
import { createTemporaryFolder, writeFiles } from '../../test/support/temporary-folder.ts'
import { readLooseFiles } from './checkpoint/read-loose-files.ts'
import { openCatalog, type RefreshableCatalog } from './refreshable-catalog.ts'

const healthy = writeGguf([['general.architecture', ggufValue('llama')]], [])

async function open(folder: string, files: Readonly<Record<string, string | Buffer>>): Promise<RefreshableCatalog> {
  await writeFiles(folder, files)
  return openCatalog({ folders: [folder] })
}

suite('the error for a name whose files cannot be used', () => {
  test('gives the reason if there is only one file', async () => {
    await using folder = await createTemporaryFolder()
    const catalog = await open(folder.path, { 'x.gguf': '', 'deep/y.gguf': '' })
    assert.equal(catalog.findUnusable('x')?.reason, 'is empty; download it again')
    assert.equal(catalog.findUnusable('y')?.reason, 'is empty; download it again')
    assert.equal(catalog.findUnusable('z'), undefined)
  })

  test('says what to do with a file that holds something else', async () => {
    await using folder = await createTemporaryFolder()
    const notes = safetensorsFile([{ name: 'notes', shape: [3, 1, 1], values: new Float32Array(3) }])
    const catalog = await open(folder.path, { 'notes.gguf': 'not a model', 'notes2.safetensors': Buffer.from(notes) })
    assert.equal(catalog.findUnusable('notes')?.reason, 'is not a GGUF file; copy it again or remove it')
    assert.match(catalog.findUnusable('notes2')?.reason ?? '', /^is not a file that Sepia supports: [^;]+; use another file, or remove it$/)
  })

  for (const [what, files, named] of [
    ['are in two folders', { 'a/x.gguf': '', 'b/x.gguf': 'GGUF' }, ['a/x.gguf', 'b/x.gguf']],
    ['differ by their extension', { 'a/x.gguf': '', 'a/x.safetensors': '<html>' }, ['a/x.gguf', 'a/x.safetensors']],
    [
      'are descriptions with one id',
      { 'a/model.json': '{"id":"x"}', 'b/model.json': '{"id":"x","kind":"text"}' },
      ['a/model.json', 'b/model.json'],
    ],
    ['are a description and a file', { 'a/model.json': '{"id":"x"}', 'b/x.gguf': '' }, ['a/model.json', 'b/x.gguf']],
  ] as const)
    test(`names both files with their reasons when they ${what}`, async () => {
      await using folder = await createTemporaryFolder()
      const catalog = await open(folder.path, files)
      const reason = catalog.findUnusable('x')?.reason ?? ''
      assert.match(reason, /^names 2 files that cannot be used: /)
      for (const name of named) assert.match(reason, new RegExp(`${name} \\(\\w[^()]+\\)`), name)
      const listed = catalog.faults.map((fault) => fault.file)
      for (const name of named) assert.ok(listed.includes(join(folder.path, name)), `${name} is listed among the faults`)
    })

  test('names the usable file beside the unusable ones', async () => {
    await using folder = await createTemporaryFolder()
    const catalog = await open(folder.path, { 'a/x.gguf': healthy, 'b/x.gguf': '' })
    assert.equal(catalog.find('a/x')?.id, 'a/x')
    assert.equal(catalog.findUnusable('x')?.reason, 'names several files: b/x.gguf (is empty; download it again); use a/x')
    assert.equal(catalog.findUnusable('a/x'), undefined)
  })
})

test('a model.json without a valid id is found by its folder, and one with a byte order mark is read', async () => {
  await using folder = await createTemporaryFolder()
  const description = JSON.stringify({ id: 'marked', kind: 'text', format: 'gguf', file: 'm.gguf' })
  const catalog = await open(folder.path, {
    'list/model.json': '[]',
    'broken/model.json': '{"id":',
    'dots/model.json': '{"id":"..","kind":"text"}',
    'windows/model.json': `\uFEFF${description}`,
    'windows/m.gguf': healthy,
  })
  assert.equal(catalog.find('marked')?.id, 'marked')
  for (const name of ['list', 'broken', 'dots']) assert.match(catalog.findUnusable(name)?.reason ?? '', /\w{3}/, name)
})

test('a name that is too long or has spaces around it is rejected with the rules for names', async () => {
  await using folder = await createTemporaryFolder()
  const names = ['x'.repeat(129), ' lead', 'a:b']
  const catalog = await open(folder.path, Object.fromEntries(names.map((name) => [`${name}.gguf`, healthy])))
  const reason =
    'cannot be named in requests; give it a name of at most 128 characters, without <>:"/\\|?*, control characters or spaces around it'
  for (const name of names) assert.equal(catalog.findUnusable(name)?.reason, reason)
})

test('a missing file or a broken link is left out with the reason, and does not affect other models', async () => {
  await using folder = await createTemporaryFolder()
  await symlink(join(folder.path, 'nothing.gguf'), join(folder.path, 'gone.gguf'))
  await symlink('round.safetensors', join(folder.path, 'round.safetensors'))
  const catalog = await open(folder.path, { 'x.gguf': healthy })
  assert.equal(catalog.find('x')?.id, 'x')
  assert.match(catalog.findUnusable('gone')?.reason ?? '', /^is missing, or a link to a missing file/)
  assert.match(catalog.findUnusable('round')?.reason ?? '', /^is a link to itself/)
  assert.deepEqual(
    catalog.faults.map(({ file }) => basename(file)),
    ['gone.gguf', 'round.safetensors'],
  )
  const left = { path: join(folder.path, 'left.gguf'), root: folder.path, source: 0 }
  const { unusable } = await readLooseFiles([left], new Map())
  assert.match(unusable[0]?.reason ?? '', /^is missing/)
})
