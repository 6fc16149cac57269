import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readStored } from '../../../test/support/stored-output.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { isDiskFull } from '../write-fault.ts'
import { openFilesystemOutputs } from './open-filesystem-outputs.ts'

const options = { signal: new AbortController().signal }
const name = { inferenceId: '0f8fad5b-d9cb-469f-a165-70867728950e', attempt: 1 }
/** The error for work that must wait for its operator, and counts no attempt. */
const cannotBeWritten = { code: 'server_is_overloaded', message: /^The data folder of the service cannot be written/ }
/** The error for bytes that may be there, so that work which needs them waits. */
const cannotBeRead = { code: 'server_is_overloaded', message: /^The store of outputs cannot be read now/ }
const content = { contentType: 'image/png', chunks: [Uint8Array.of(1, 2, 3)] }

test('one flipped bit on the disk is an error, not an answer', async () => {
  await using folder = await createTemporaryFolder()
  const outputs = await openFilesystemOutputs({ folder: folder.path, clock: createTestClock() })
  const reference = await outputs.put(name, content, options)
  const path = join(folder.path, '0f', `${name.inferenceId}.1`)
  const bytes = await readFile(path)
  bytes[1] = (bytes[1] ?? 0) ^ 1
  await writeFile(path, bytes)
  await assert.rejects(readStored(outputs, reference), { code: 'internal_error', message: /damaged/ })
})

test('unfinished files of a dead process are removed when they are old', async () => {
  await using folder = await createTemporaryFolder()
  const clock = createTestClock()
  await openFilesystemOutputs({ folder: folder.path, clock })
  for (const [name, ageMs] of [
    ['old', 2 * 60 * 60_000],
    ['young', 60_000],
  ] as const) {
    const path = join(folder.path, 'unfinished', name)
    await writeFile(path, 'half')
    await utimes(path, (clock.now() - ageMs) / 1000, (clock.now() - ageMs) / 1000)
  }
  await openFilesystemOutputs({ folder: folder.path, clock })
  assert.deepEqual(await readdir(join(folder.path, 'unfinished')), ['young'])
})

test('what a crash left unfinished just before the start is removed once it is old', async () => {
  await using folder = await createTemporaryFolder()
  const clock = createTestClock()
  const outputs = await openFilesystemOutputs({ folder: folder.path, clock })
  const path = join(folder.path, 'unfinished', 'left')
  await writeFile(path, 'half')
  await utimes(path, clock.now() / 1000, clock.now() / 1000)
  const hourMs = 60 * 60_000
  const search = () => Array.fromAsync(outputs.listOld({ olderThan: clock.now() - hourMs }, options))
  await clock.advance(hourMs)
  await search()
  assert.equal(existsSync(path), true)
  await clock.advance(1000)
  await search()
  assert.equal(existsSync(path), false)
})

test('an invalid id never becomes a path', async () => {
  await using folder = await createTemporaryFolder()
  const outputs = await openFilesystemOutputs({ folder: folder.path, clock: createTestClock() })
  for (const inferenceId of ['../../../../tmp/x', 'a/b/c/d', '', '....'])
    await assert.rejects(outputs.put({ inferenceId, attempt: 1 }, content, options), { code: 'internal_error' })
  const reference = await outputs.put(name, content, options)
  for (const key of ['../../../../tmp/x.1', 'abcd', 'abcd.1/../../x', '']) {
    await assert.rejects(readStored(outputs, { ...reference, key }), { code: 'internal_error' })
    await assert.rejects(outputs.delete([key], options), { code: 'internal_error' })
  }
})

test('stored files are readable only by their owner, also in a folder of an older version', {
  skip: process.platform === 'win32',
}, async () => {
  await using folder = await createTemporaryFolder()
  const outputsFolder = join(folder.path, 'outputs')
  await mkdir(join(outputsFolder, 'unfinished'), { recursive: true, mode: 0o755 })
  const outputs = await openFilesystemOutputs({ folder: outputsFolder, clock: createTestClock() })
  await outputs.put(name, content, options)
  const shard = join(outputsFolder, '0f')
  const modes = [outputsFolder, join(outputsFolder, 'unfinished'), shard, join(shard, `${name.inferenceId}.1`)]
  const found = await Promise.all(modes.map(async (path) => ((await stat(path)).mode & 0o777).toString(8)))
  assert.deepEqual(found, ['700', '700', '700', '600'])
})

test('a disk that is full is distinguished from every other fault', { skip: !existsSync('/dev/full') && 'needs /dev/full' }, async () => {
  const refused = await writeFile('/dev/full', 'x').catch((error: unknown) => error)
  assert.equal(isDiskFull(refused), true)
  assert.equal(isDiskFull(await readFile('/nowhere').catch((error: unknown) => error)), false)
})

/** Outputs in a data folder, with one stored. */
async function openWithOne(home: string) {
  const data = join(home, 'data')
  await mkdir(data)
  const outputs = await openFilesystemOutputs({ folder: join(data, 'outputs'), clock: createTestClock() })
  await outputs.put(name, content, options)
  return { data, outputs }
}

for (const [what, leaveBehind] of [
  ['was deleted', async () => {}],
  ['was replaced by a file for a while', async (path: string) => writeFile(path, '')],
] as const)
  test(`a folder of outputs that ${what} beneath a running service is made again`, async () => {
    await using home = await createTemporaryFolder()
    const { data, outputs } = await openWithOne(home.path)
    const folder = join(data, 'outputs')
    await rm(folder, { recursive: true })
    await leaveBehind(folder)
    await assert.rejects(outputs.put({ ...name, attempt: 2 }, content, options), cannotBeWritten)
    await rm(folder, { force: true })
    const reference = await outputs.put({ ...name, attempt: 2 }, content, options)
    assert.deepEqual([...(await readStored(outputs, reference))], [1, 2, 3])
  })

test('nothing is stored in the mount point of a missing disk', { skip: !(await isOtherDisk()) }, async () => {
  await using home = await createTemporaryFolder()
  await using disk = await createFolderOn('/dev/shm')
  const folder = join(home.path, 'outputs')
  await symlink(disk.path, folder)
  const outputs = await openFilesystemOutputs({ folder, clock: createTestClock() })
  const stored = await outputs.put(name, content, options)
  await rm(folder)
  await assert.rejects(readStored(outputs, stored), cannotBeRead)
  await mkdir(folder)
  for (const attempt of [2, 3]) await assert.rejects(outputs.put({ ...name, attempt }, content, options), cannotBeWritten)
  await assert.rejects(readStored(outputs, stored), cannotBeRead)
  assert.deepEqual(await readdir(folder), [])
  await rmdir(folder)
  await symlink(disk.path, folder)
  await outputs.put({ ...name, attempt: 2 }, content, options)
  assert.deepEqual([...(await readStored(outputs, stored))], [1, 2, 3])
})

async function isOtherDisk(): Promise<boolean> {
  const [shared, usual] = await Promise.all(['/dev/shm', tmpdir()].map((path) => stat(path).catch(() => null)))
  return shared !== null && shared?.dev !== usual?.dev
}

async function createFolderOn(disk: string): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(disk, 'sepia-test-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

test('nothing is stored in a folder that replaced the data folder', async () => {
  await using home = await createTemporaryFolder()
  const { data, outputs } = await openWithOne(home.path)
  await rename(data, join(home.path, 'away'))
  await mkdir(data)
  for (const attempt of [2, 3]) await assert.rejects(outputs.put({ ...name, attempt }, content, options), cannotBeWritten)
  assert.deepEqual(await readdir(data), [])
  await rmdir(data)
  await rename(join(home.path, 'away'), data)
  await outputs.put({ ...name, attempt: 2 }, content, options)
})

test('an output is lost only if its file is missing from the folder in which it was stored', async () => {
  await using home = await createTemporaryFolder()
  const data = join(home.path, 'data')
  await mkdir(data)
  const outputs = await openFilesystemOutputs({ folder: join(data, 'outputs'), clock: createTestClock() })
  const reference = await outputs.put(name, content, options)
  const readPart = () => outputs.readPart(reference, { offset: 0, length: 1 }, options)
  await rename(data, join(home.path, 'away'))
  await assert.rejects(readStored(outputs, reference), cannotBeRead)
  await assert.rejects(readPart(), cannotBeRead)
  await rename(join(home.path, 'away'), data)
  assert.deepEqual([...(await readStored(outputs, reference))], [1, 2, 3])
  const file = join(data, 'outputs', '0f', `${name.inferenceId}.1`)
  await rm(file)
  // Stands for every error that says nothing about the bytes, such as too many open files.
  await symlink(file, file)
  await assert.rejects(readStored(outputs, reference), cannotBeRead)
  await rm(file)
  await assert.rejects(readStored(outputs, reference), { code: 'internal_error' })
  await assert.rejects(readPart(), { code: 'internal_error' })
})
