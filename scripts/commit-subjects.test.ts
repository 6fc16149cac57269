import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)
const most = 72

test(`the subjects of the last hundred commits have at most ${most} characters and end without a full stop`, async () => {
  // A copy without its history has nothing to check.
  const cwd = join(import.meta.dirname, '..')
  const { stdout } = await run('git', ['log', '--max-count=100', '--format=%s'], { cwd }).catch(() => ({ stdout: '' }))
  const subjects = stdout.split('\n').filter((subject) => subject !== '')
  assert.deepEqual(
    subjects.filter((subject) => subject.length > most || subject.endsWith('.')),
    [],
  )
})
