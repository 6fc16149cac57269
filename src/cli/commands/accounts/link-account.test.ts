import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommandLine as run } from '../../../../test/support/run-command-line.ts'

test('account link prints a link for that account', async () => {
  const { code, out } = await run(['account', 'link', 'a1', '--json'])
  assert.equal(code, 0)
  assert.deepEqual(JSON.parse(out), { link: 'http://127.0.0.1:8080/console/join#code-of-a1' })
})

test('account link names the list when there is no such account', async () => {
  const { code, err } = await run(['account', 'link', 'nobody'])
  assert.notEqual(code, 0)
  assert.match(err, /nobody: there is no account with this id; see sepia account list/)
})
