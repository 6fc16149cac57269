import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { account, runCommandLine as run } from '../../../../test/support/run-command-line.ts'

const words = ['account', 'second-factor', 'reset']

describe('account second-factor reset', () => {
  it('takes it away, and says whose', async () => {
    const { code, out, done } = await run([...words, 'a1'], { accounts: [{ ...account, email: 'ada@example.org' }] })
    assert.equal(code, 0)
    assert.equal(out, 'Removed the second factor of "First".\n')
    assert.deepEqual(done, ['second factor of a1', 'closed'])
  })

  it('says so when there is none', async () => {
    const { code, err } = await run([...words, 'a1'])
    assert.equal(code, 2)
    assert.equal(err, 'a1: this account has no second factor.\n')
  })

  it('names an account that is not there', async () => {
    assert.match((await run([...words, 'nobody'])).err, /there is no account with this id/)
  })
})
