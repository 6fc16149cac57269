import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { removeLeftovers, takePullLock, unfinishedFolder } from './unfinished-pulls.ts'

const hour = 3_600_000
const onFault = (error: unknown): never => {
  throw error
}

test('files of killed processes are removed, except pulls that may be resumed and those of running processes', async () => {
  await using models = await createTemporaryFolder()
  const folders = {
    installed: join(models.path, 'installed'),
    ofInstalled: unfinishedFolder(models.path, 'installed', 'another source'),
    recent: unfinishedFolder(models.path, 'recent', ''),
    abandoned: unfinishedFolder(models.path, 'abandoned', ''),
    continued: unfinishedFolder(models.path, 'continued', ''),
    removed: join(models.path, '.removing-gone'),
  }
  const now = Date.now()
  for (const [name, folder] of Object.entries(folders)) {
    await mkdir(join(folder, 'sub'), { recursive: true })
    await writeFile(join(folder, 'sub', 'model.gguf.part'), 'GGUF')
    if (!['abandoned', 'continued'].includes(name)) continue
    const before = new Date(now - 2 * hour)
    for (const path of ['sub/model.gguf.part', 'sub', '.']) await utimes(join(folder, path), before, before)
  }
  {
    using _continuing = takePullLock(folders.continued)
    // Creating the lock is not progress.
    const before = new Date(now - 2 * hour)
    for (const path of ['.lock', '.']) await utimes(join(folders.continued, path), before, before)
    await removeLeftovers(models.path, { abandonedBefore: now - hour, onFault })
    assert.deepEqual(
      (await readdir(models.path)).map((name) => join(models.path, name)).toSorted(),
      [folders.continued, folders.installed, folders.recent].toSorted(),
    )
  }
  await removeLeftovers(models.path, { abandonedBefore: now - hour, onFault })
  assert.deepEqual((await readdir(models.path)).length, 2)
})

test('a missing folder has no leftovers', async () => {
  await removeLeftovers('/nowhere', { abandonedBefore: 0, onFault })
})

test('files that cannot be removed are reported, and the others are removed', async () => {
  await using models = await createTemporaryFolder()
  const [kept, removed] = [join(models.path, '.removing-1'), join(models.path, '.removing-2')]
  for (const folder of [kept, removed]) await mkdir(join(folder, 'sub'), { recursive: true })
  await chmod(kept, 0o500)
  const faults: unknown[] = []
  {
    await using _nobody = await becomeNobody([models.path, kept, join(kept, 'sub'), removed, join(removed, 'sub')])
    await removeLeftovers(models.path, { abandonedBefore: 0, onFault: (error) => faults.push(Object(error).code) })
  }
  await chmod(kept, 0o700)
  assert.deepEqual([faults, await readdir(models.path)], [['EACCES'], ['.removing-1']])
})

/** Makes a test that runs as root act as another user, who owns the paths: permissions do not bind root. */
async function becomeNobody(paths: readonly string[]): Promise<AsyncDisposable> {
  const nobody = 65_534
  const isRoot = process.geteuid?.() === 0
  if (isRoot) for (const path of paths) await chown(path, nobody, nobody)
  if (isRoot) process.seteuid?.(nobody)
  return { [Symbol.asyncDispose]: async () => void (isRoot && process.seteuid?.(0)) }
}
