import assert from 'node:assert/strict'
import { chmod, chown, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { checkDatabase, findUnwritable } from './examination.ts'

const nobody = 65_534
const unwritable = (path: string) =>
  `${path} is not writable (EACCES); change its permissions, mount it writable, or choose another --data.`

/** A data folder that lies in none of root's; rights bind no root, so that it is looked at as somebody else. */
async function openFolder() {
  const folder = await createTemporaryFolder()
  const file = join(folder.path, 'sepia.db')
  {
    using database = new DatabaseSync(file)
    database.exec('pragma journal_mode = wal; create table songs (title)')
  }
  const lock = join(folder.path, 'owner.lock')
  await writeFile(lock, '')
  const isRoot = process.geteuid?.() === 0
  if (isRoot) for (const path of [folder.path, file, lock]) await chown(path, nobody, nobody)
  if (isRoot) process.seteuid?.(nobody)
  return {
    path: folder.path,
    file,
    lock,
    async [Symbol.asyncDispose]() {
      if (isRoot) process.seteuid?.(0)
      await chmod(folder.path, 0o700)
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe('findUnwritable', () => {
  it('finds nothing if a service could start, and leaves nothing behind', async () => {
    await using folder = await openFolder()
    assert.equal(await findUnwritable(folder.path, [folder.file, folder.lock, join(folder.path, 'to-be-made')]), null)
    assert.deepEqual((await readdir(folder.path)).toSorted(), ['owner.lock', 'sepia.db'])
  })

  it('names the file or folder that is not writable, and still reads the database', async () => {
    await using folder = await openFolder()
    const files = [folder.file, folder.lock]
    await chmod(folder.lock, 0o400)
    assert.equal(await findUnwritable(folder.path, files), unwritable(folder.lock))
    await chmod(folder.file, 0o400)
    assert.equal(await findUnwritable(folder.path, files), unwritable(folder.file))
    assert.deepEqual(checkDatabase(folder.file, { isFrozen: true }), [])
    assert.deepEqual((await readdir(folder.path)).toSorted(), ['owner.lock', 'sepia.db'])
    await chmod(folder.path, 0o500)
    assert.equal(await findUnwritable(folder.path, files), unwritable(folder.path))
    assert.deepEqual(checkDatabase(folder.file, { isFrozen: true }), [])
    assert.match(checkDatabase(folder.file).join(), /sepia\.db is not writable for this user/)
    await chmod(folder.file, 0)
    assert.match(checkDatabase(folder.file, { isFrozen: true }).join(), /sepia\.db cannot be opened by this user/)
  })
})
