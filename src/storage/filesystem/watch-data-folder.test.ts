import assert from 'node:assert/strict'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { watchDataFolder } from './watch-data-folder.ts'

test('a data folder that was moved away is gone, also with another in its place, until it is back', async () => {
  await using folder = await createTemporaryFolder()
  const [data, aside] = [join(folder.path, 'data'), join(folder.path, 'aside')]
  await mkdir(data)
  const isGone = await watchDataFolder(data)
  assert.equal(await isGone(), false)
  await rename(data, aside)
  assert.equal(await isGone(), true)
  await mkdir(data)
  assert.equal(await isGone(), true)
  await rename(data, join(folder.path, 'other'))
  await rename(aside, data)
  assert.equal(await isGone(), false)
})

test('a file that has to stay is gone once it was deleted, also with another in its place', async () => {
  await using folder = await createTemporaryFolder()
  const [file, other] = [join(folder.path, 'file'), join(folder.path, 'other')]
  await writeFile(file, '')
  await writeFile(other, '')
  const isGone = await watchDataFolder(folder.path, [file])
  assert.equal(await isGone(), false)
  await rm(file)
  assert.equal(await isGone(), true)
  await rename(other, file)
  assert.equal(await isGone(), true)
})
