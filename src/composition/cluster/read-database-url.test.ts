import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { UsageError } from '../../cli/failures.ts'
import { readDatabaseUrl } from './read-database-url.ts'

test('a file that holds no address, or several, is told by name without what it holds', async () => {
  await using folder = await createTemporaryFolder()
  const urlFile = join(folder.path, 'address')
  for (const [held, message] of [
    ['mysql://u:hunter2@a/x', /: expected an address that starts with postgres:/],
    ['postgres://u:hunt#er2@a/x', /: expected an address/],
    ['postgres://u:hunter2@a:1,b:2/x', /: names several servers/],
  ] as const) {
    await writeFile(urlFile, `${held}\n`)
    await assert.rejects(readDatabaseUrl({ url: null, urlFile }), (error) => {
      assert.ok(error instanceof UsageError)
      const [fault] = error.faults
      assert.ok(fault?.where === 'database-url-file' && fault.message.startsWith(urlFile))
      assert.match(fault.message, message)
      assert.doesNotMatch(fault.message, /hunt/)
      return true
    })
  }
  await writeFile(urlFile, 'postgres://u:hunter2@a/x\n')
  assert.equal(await readDatabaseUrl({ url: null, urlFile }), 'postgres://u:hunter2@a/x')
})
