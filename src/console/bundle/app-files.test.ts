import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readAppFiles } from './app-files.ts'

let folder = ''
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sepia-app-'))
})
after(() => rm(folder, { recursive: true }))

test('a folder without the page counts as not built', async () => {
  assert.equal(await readAppFiles(join(folder, 'missing')), null)
  assert.equal(await readAppFiles(folder), null)
})

test('files are found by path, with their compressed copies and an ETag of their content', async () => {
  await mkdir(join(folder, 'assets'))
  await writeFile(join(folder, 'index.html'), '<p>')
  await writeFile(join(folder, 'assets', 'a.js'), '1')
  await writeFile(join(folder, 'assets', 'a.js.br'), 'small')
  await writeFile(join(folder, 'secret.env'), 'x')
  const files = await readAppFiles(folder)
  assert.deepEqual([...(files?.keys() ?? [])].sort(), ['assets/a.js', 'index.html'])
  assert.equal(files?.get('assets/a.js')?.brotli?.toString(), 'small')
  assert.equal(files?.get('assets/a.js')?.gzip, null)
  assert.notEqual(files?.get('assets/a.js')?.etag, files?.get('index.html')?.etag)
})
