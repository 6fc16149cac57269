import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { proveWritable } from '../private-files.ts'
import { openFilesystemOutputs, proveOutputsWritable } from './open-filesystem-outputs.ts'

/** Not even root can make files there. */
const closed = '/proc/self/fd'

test('a folder that can be written is left as it was', async () => {
  await using folder = await createTemporaryFolder()
  await proveWritable(folder.path)
  assert.deepEqual(await readdir(folder.path), [])
})

test('outputs that can be opened and not be written are named, with what to change', { skip: !existsSync(closed) }, async () => {
  await using folder = await createTemporaryFolder()
  const outputs = join(folder.path, 'outputs')
  await mkdir(outputs)
  await symlink(closed, join(outputs, 'unfinished'))
  await openFilesystemOutputs({ folder: outputs, clock: { ...createTestClock(), now: () => 0 } })
  const place = join(outputs, 'unfinished')
  const message = `${place} is not writable (ENOENT); change its permissions, mount it writable, or choose another --data.`
  await assert.rejects(proveOutputsWritable(outputs), { message })
})
