import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createAccessToken } from '../../src/operations/access/access-tokens.ts'
import { createAccount } from '../../src/operations/access/accounts.ts'
import { startConsoleService } from '../support/console-service.ts'

const signal = new AbortController().signal

suite('only owners see', () => {
  test('the metrics of all accounts', async () => {
    const { server, store, clock, ownerId } = await startConsoleService()
    const member = await createAccount({ ...store, clock }, { name: 'Eve', role: 'member' }, { signal })
    const statusOf = async (accountId: string) => {
      const wanted = { accountId, name: 't', scopes: ['read'] as const, expiresAt: null }
      const { text } = await createAccessToken({ ...store, clock }, wanted, { signal })
      return (await server.inject({ url: '/metrics', headers: { host: '127.0.0.1', authorization: `Bearer ${text}` } })).statusCode
    }
    assert.deepEqual([await statusOf(member.id), await statusOf(ownerId)], [403, 200])
  })

  test('the sources of pulled models', async () => {
    const { send, join, firstCode } = await startConsoleService()
    const owner = await join(firstCode, 'ada@example.org')
    const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
    const member = await join(code, 'eve@example.org')
    await send('POST', '/console/api/models/pulls', { cookie: owner, body: { source: 'https://models.example/secret/model.json' } })
    const pullsSeenBy = async (cookie: string) => JSON.stringify((await send('GET', '/console/api/models', { cookie })).json().pulls)
    assert.match(await pullsSeenBy(owner), /models\.example\/secret/)
    const shown = await pullsSeenBy(member)
    assert.match(shown, /"source":"model\.json"/)
    assert.doesNotMatch(shown, /models\.example|secret/)
  })
})
