import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { AppSource, isAppOutdated, readAppFiles } from './app-files.ts'

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

test('built code is outdated when a source changes after it, except a test', async () => {
  const root = join(folder, 'clone')
  const built = join(root, 'dist', 'console')
  const write = async (path: string, at: number) => {
    const file = join(root, path)
    await mkdir(join(file, '..'), { recursive: true })
    await writeFile(file, '')
    await utimes(file, at, at)
  }
  const now = Date.now() / 1000
  assert.equal(await isAppOutdated(built, root), true)
  await write('dist/console/index.html', now + 100)
  await write('src/core/error.ts', now + 200)
  // An installed package has no sources of the browser code.
  assert.equal(await isAppOutdated(built, root), false)
  await write('src/console/app/pages/chat.tsx', now)
  assert.equal(await isAppOutdated(built, root), true)
  await write('src/core/error.ts', now)
  await write('src/core/error.test.ts', now + 200)
  assert.equal(await isAppOutdated(built, root), false)
  for (const path of ['src/console/app/pages/chat.tsx', 'src/console/bundle/build.ts', 'package-lock.json']) {
    await write(path, now + 200)
    assert.equal(await isAppOutdated(built, root), true, path)
    await write(path, now)
  }
})

test('the first visit reports outdated code once', async () => {
  const old = join(folder, 'old')
  await mkdir(old)
  await writeFile(join(old, 'index.html'), '<p>')
  await utimes(join(old, 'index.html'), 1, 1)
  const reported = Promise.withResolvers<void>()
  let reports = 0
  const source = new AppSource(old, () => {
    reports++
    reported.resolve()
  })
  const visits = await Promise.all([source.files(), source.files()])
  assert.deepEqual(
    visits.map((files) => files?.has('index.html')),
    [true, true],
  )
  await reported.promise
  await source.files()
  assert.equal(reports, 1)
})
