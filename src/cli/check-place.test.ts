import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { checkPlace } from './check-place.ts'

describe('the place of a file that is to be written', () => {
  it('is in order where the file can be made', async () => {
    await using folder = await createTemporaryFolder()
    await checkPlace(join(folder.path, 'new.png'), { where: '--output', replaces: false })
  })

  it('is rejected with the name of the flag and what to change', async () => {
    await using folder = await createTemporaryFolder()
    const file = join(folder.path, 'file')
    await writeFile(file, '')
    await mkdir(join(folder.path, 'folder'))
    for (const [path, replaces, message] of [
      [join(folder.path, 'none', 'a.png'), true, /^--output: the folder .*none does not exist; create it, or choose another file\.$/],
      [join(file, 'a.png'), true, /^--output: .*file is not a folder; choose another file\.$/],
      [join(folder.path, 'folder'), true, /^--output: .*folder is a folder; choose a file in it\.$/],
      [file, false, /^--output: .*file already exists; choose another with --output\.$/],
    ] as const)
      await assert.rejects(checkPlace(path, { where: '--output', replaces }), { message })
    await checkPlace(file, { where: '--output', replaces: true })
  })
})
