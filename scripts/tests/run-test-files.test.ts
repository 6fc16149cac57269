import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'

/** The second test lasts until its process is ended. */
const tests = `
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
suite('numbers', () => {
  test('are equal', () => assert.equal(1, 2))
  test('are counted', () => new Promise((resolve) => setTimeout(resolve, 300_000)))
})
`

/** Its failing test leaves a server open. */
const leavesServer = `
import { createServer } from 'node:http'
import { once } from 'node:events'
import { test } from 'node:test'
test('leaves a server', async () => {
  await once(createServer().listen(0), 'listening')
  throw new Error('failed')
})
test('is the last', () => {})
`

test('a process whose tests have ended but left something open is ended soon, and prints what it was', async () => {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, 'server.test.ts')
  await writeFile(file, leavesServer)
  const child = spawn(process.execPath, ['scripts/tests/run-test-files.ts', relative('.', file)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, SEPIA_TEST_CLOSE_MS: '50' },
  })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  assert.match(errors, /^This process did not end within 0\.05 s of its tests; it holds .*TCPServerWrap/m)
  assert.match(output, /server\.test\.ts:5 leaves a server: failed\n[\s\S]*The process of these files ended with 1:/)
  assert.equal(code, 1)
})

test('a failure is printed when it happens, and again when the run is ended by a signal', async () => {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, 'numbers.test.ts')
  await writeFile(file, tests)
  const argv = ['scripts/tests/run-test-files.ts', relative('.', file)]
  const child = spawn(process.execPath, argv, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  using _ = { [Symbol.dispose]: () => child.kill() }
  const ended = once(child, 'exit')
  const failures: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes('are equal:')) continue
    failures.push(line)
    if (failures.length === 1) child.kill()
  }
  const [first = '', again] = failures
  assert.match(first, /^✖ .*numbers\.test\.ts:5 are equal: Expected values to be strictly equal: 1 !== 2$/)
  assert.equal(again, first)
  assert.deepEqual(await ended, [143, null])
})
