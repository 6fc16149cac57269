import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { UsageError } from '../../cli/failures.ts'
import { explainTakenPort, readDatabaseUrl } from './node-address.ts'

test('a port already in use is reported with its setting', async () => {
  await using first = createServer().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const bound = first.address()
  assert.ok(typeof bound === 'object' && bound !== null)
  const [failure] = await once(createServer().listen(bound.port, '127.0.0.1'), 'error')
  assert.match(
    String(explainTakenPort(failure, `http://10.0.0.5:${bound.port}`)),
    new RegExp(`Port ${bound.port} is in use; .* in --node-url\\.`),
  )
  assert.equal(explainTakenPort(failure, null), failure)
  const other = new Error('closed')
  assert.equal(explainTakenPort(other, 'http://10.0.0.5:1'), other)
})

test('a file with no address, or several, is reported by name without its contents', async () => {
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
