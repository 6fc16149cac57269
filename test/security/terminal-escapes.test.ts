import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { startConsoleService } from '../support/console-service.ts'
import { runCommandLine } from '../support/run-command-line.ts'

const signal = new AbortController().signal
/** Clears the screen, sets the window's title, in one byte of C1 too, turns the writing round, begins a line of its own. */
const hostile = 'Eve\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e\nnew line'

suite('names with control characters', () => {
  test('are escaped by every command that prints them', async () => {
    for (const words of [
      'account list',
      'account list --json',
      'account disable a1 --yes',
      'account link a1',
      'token list',
      'account disable a1',
    ]) {
      const { out, err, questions } = await runCommandLine(words.split(' '), { accountName: hostile, answer: 'n' })
      const shown = [out, err, ...questions].join('')
      assert.ok(shown.includes('\\u001b[2J') || words === 'token list', words)
      assert.doesNotMatch(shown.replaceAll('\n', ''), /[\p{Cc}\u202e]/u, words)
    }
    const { out } = await runCommandLine(['account', 'list', '--json'], { accountName: hostile })
    assert.equal(JSON.parse(out).accounts[0].name, hostile)
    assert.equal((await runCommandLine(['account', 'list'], { accountName: hostile })).out.trimEnd().split('\n').length, 2)
  })

  test('are rejected', async () => {
    const { send, firstCode, store, clock, ownerId } = await startConsoleService()
    const deps = { ...store, clock }
    await assert.rejects(createAccount(deps, { name: hostile, role: 'member' }, { signal }), { code: 'validation_error' })
    const token = { accountId: ownerId, name: hostile, scopes: ['read'] as const, expiresAt: null }
    await assert.rejects(createAccessToken(deps, token, { signal }), { code: 'validation_error' })
    const body = { code: firstCode, name: hostile, email: 'eve@example.org', password: 'a poet of science' }
    const answer = await send('POST', '/console/api/sign-up', { body })
    assert.deepEqual([answer.statusCode, answer.json().detail[0].loc.at(-1)], [422, 'name'])
  })
})
