import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { noUseLimits } from '../../core/limits/use-limits.ts'
import { createAccessToken } from '../../operations/access/access-tokens.ts'
import { createAccount } from '../../operations/access/accounts.ts'
import type { TokenList } from '../contract/access-tokens.ts'
import type { OwnLimits } from '../contract/account.ts'

const options = { signal: new AbortController().signal }
const price = { promptTokens: 0, completionTokens: 0, image: 0 }

async function start() {
  const service = await startConsoleService()
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const make = async (accountId: string) =>
    (
      await createAccessToken(
        { tokens: service.store.tokens, clock: service.clock },
        { accountId, name: 'job', scopes: ['text'], expiresAt: null },
        options,
      )
    ).token.id
  const limit = (id: string, limits: unknown) => service.send('PUT', `/console/api/tokens/${id}/limits`, { cookie, body: { limits } })
  const list = async () => ((await service.send('GET', '/console/api/tokens', { cookie })).json() as TokenList).tokens
  return { ...service, cookie, make, limit, list }
}

describe('the limits of a user’s own tokens', () => {
  test('are replaced as a whole, returned with what is left, and recorded in the audit log', async () => {
    const { ownerId, store, make, limit, list } = await start()
    const id = await make(ownerId)
    assert.equal((await limit(id, { tokensPerDay: 100, concurrentRequests: 2 })).statusCode, 204)
    const wanted = {
      id: 'r',
      accountId: ownerId,
      tokenId: id,
      running: true,
      unit: 'tokens' as const,
      tokens: { least: 30, most: 30 },
      promptTokens: 0,
      images: 0,
    }
    await store.ledger.reserve({ ...wanted, price }, options)
    const [token] = await list()
    assert.deepEqual(token?.limits, { ...noUseLimits, tokensPerDay: 100, concurrentRequests: 2 })
    assert.deepEqual(
      token?.budgets.map(({ of, unit, per, limit, reserved }) => [of, unit, per, limit, reserved]),
      [
        ['token', 'requests', 'moment', 2, 1],
        ['token', 'tokens', 'day', 100, 30],
      ],
    )
    await limit(id, { moneyPerDay: 5 })
    assert.deepEqual((await list())[0]?.limits, { ...noUseLimits, moneyPerDay: 5 })
    const [entry] = await store.audit.list({ before: null, limit: 5 }, options)
    assert.equal(entry?.action, 'token-limited')
  })

  test('are rejected if they are invalid or the token belongs to another account', async () => {
    const { ownerId, store, clock, make, limit, list } = await start()
    const other = await createAccount({ accounts: store.accounts, clock }, { name: 'Bo', role: 'member' }, options)
    const theirs = await make(other.id)
    const own = await make(ownerId)
    assert.equal((await limit(theirs, { tokensPerDay: 1 })).statusCode, 404)
    assert.equal((await limit('nobody', { tokensPerDay: 1 })).statusCode, 404)
    for (const limits of [
      null,
      [],
      'none',
      { tokensPerDay: -1 },
      { tokensPerDay: 1.5 },
      { tokensPerDay: '7' },
      { tokensPerDay: 1e300 },
      { requestsPerMinute: 0 },
      { concurrentRequests: 0 },
      { weight: 5 },
      { storedBytes: 1 },
      { constructor: 1 },
    ])
      assert.equal((await limit(own, limits)).statusCode, 422, JSON.stringify(limits))
    assert.deepEqual(
      (await list()).map(({ limits }) => limits),
      [noUseLimits],
    )
    assert.deepEqual((await store.tokens.list(other.id, options))[0]?.limits, noUseLimits)
  })
})

test('only the signed-in user sees the limits of the account and what is left', async () => {
  const { ownerId, store, cookie, send } = await start()
  await store.accounts.change(ownerId, { by: null, limits: { imagesPerMinute: 4, weight: 2 } }, options)
  const { limits, budgets } = (await send('GET', '/console/api/account/limits', { cookie })).json() as OwnLimits
  assert.deepEqual([limits.imagesPerMinute, limits.weight], [4, 2])
  assert.deepEqual(budgets, [{ of: 'account', unit: 'images', per: 'minute', limit: 4, used: 0, reserved: 0 }])
  assert.equal((await send('GET', '/console/api/account/limits')).statusCode, 401)
})
