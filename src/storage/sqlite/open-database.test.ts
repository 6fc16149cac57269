import assert from 'node:assert/strict'
import { mkdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { makeFolder } from './open-database.ts'

const onWindows = process.platform === 'win32' && 'Windows has other rights'

test('makes every folder that is missing, at once from several sides, and again', async () => {
  await using folder = await createTemporaryFolder()
  const deep = join(folder.path, 'a', 'b', 'c')
  await Promise.all([makeFolder(deep), makeFolder(deep)])
  await makeFolder(deep)
  assert.ok((await stat(deep)).isDirectory())
})

test('creates the folder for its user only, and folders above it with the usual permissions', { skip: onWindows }, async () => {
  await using folder = await createTemporaryFolder()
  const usual = join(folder.path, 'usual')
  await mkdir(usual)
  await makeFolder(join(folder.path, 'above', 'private'))
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  assert.equal(await modeOf(join(folder.path, 'above', 'private')), 0o700)
  assert.equal(await modeOf(join(folder.path, 'above')), await modeOf(usual))
})

test('fails where a file is in the way', async () => {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  await assert.rejects(makeFolder(file), { code: 'EEXIST' })
  await assert.rejects(makeFolder(join(file, 'inner')), { code: 'ENOTDIR' })
})

test('fails where a folder cannot hold others', { skip: process.platform !== 'linux' && 'only Linux has /proc' }, async () => {
  await assert.rejects(makeFolder('/proc/sepia/data'), { code: 'ENOENT', syscall: 'mkdir' })
})
