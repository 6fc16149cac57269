import assert from 'node:assert/strict'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { watchDataFolder, watchStorage } from './watch-data-folder.ts'

test('a moved data folder counts as missing, even with another in its place, until it is back', async () => {
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

test('a required file counts as missing once it was deleted, even with another in its place', async () => {
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

test('a folder that is not writable is found, checked again after two seconds, and left without test files', async () => {
  await using folder = await createTemporaryFolder()
  const clock = createTestClock()
  const data = join(folder.path, 'data')
  await mkdir(data)
  const look = await watchStorage(data, { clock })
  const inTheWay = join(data, '.probe')
  await mkdir(inTheWay)
  await writeFile(join(inTheWay, 'file'), '')
  const fault = 'cannot be written; correct its permissions or its disk'
  assert.equal(await look(), fault)
  await rm(inTheWay, { recursive: true })
  assert.equal(await look(), fault)
  await clock.advance(2000)
  assert.equal(await look(), null)
  assert.deepEqual(await readdir(data), [])
  await mkdir(join(data, 'outputs'))
  const inside = await watchStorage(data, { clock }, { inside: ['outputs'] })
  assert.equal(await inside(), null)
  await mkdir(join(data, 'outputs', '.probe', 'in-the-way'), { recursive: true })
  await clock.advance(2000)
  assert.equal(await inside(), 'cannot be written in its folder outputs; correct its permissions or its disk')
  await rm(join(data, 'outputs'), { recursive: true })
  await clock.advance(2000)
  assert.equal(await inside(), null, 'the next output creates its folder')
  await rm(data, { recursive: true })
  assert.match(String(await look()), /^or its contents are missing/)
})

test('a folder that does not take the usage of earlier requests counts as not writable until it does', async () => {
  await using folder = await createTemporaryFolder()
  let owes = true
  const look = await watchStorage(folder.path, { clock: createTestClock(), owesUsage: () => owes })
  assert.equal(await look(), 'cannot store the usage of earlier requests; the log has the cause')
  owes = false
  assert.equal(await look(), null)
})
