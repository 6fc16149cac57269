import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryStore } from '../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { type ErrorCode, ServiceError } from '../core/error.ts'
import { noLimits } from '../core/limits/use-limits.ts'
import type { AccessTokenStore } from '../core/ports/access-token-store.ts'
import { createAccessToken, limitAccessToken, listAccessTokens, makeAccessTokenText, revokeAccessToken } from './access/access-tokens.ts'
import { createAccount } from './access/accounts.ts'
import { authenticate, type TokenHolder } from './access/authenticate.ts'
import { RecentValues } from './access/recent-values.ts'

const options = { signal: new AbortController().signal }

async function createParts() {
  const clock = createTestClock()
  const { accounts, tokens: stored } = createMemoryStore({ clock, limits: { maxPending: 1 } })
  const requested: string[] = []
  const tokens: AccessTokenStore = {
    create: (token, use) => stored.create(token, use),
    findByHash(hash, use) {
      requested.push(hash)
      return stored.findByHash(hash, use)
    },
    list: (accountId, use) => stored.list(accountId, use),
    revoke: (target, at, use) => stored.revoke(target, at, use),
    restore: (target, since, use) => stored.restore(target, since, use),
    revokeAll: (accountId, at, use) => stored.revokeAll(accountId, at, use),
    revokedOf: (ids, use) => stored.revokedOf(ids, use),
    namesOf: (ids, use) => stored.namesOf(ids, use),
    limit: (target, limits, use) => stored.limit(target, limits, use),
    touch: (id, at, use) => stored.touch(id, at, use),
  }
  const account = await createAccount({ accounts, clock }, { name: 'Ada', role: 'owner' }, options)
  const fault = Promise.withResolvers<unknown>()
  return {
    clock,
    accounts,
    tokens,
    account,
    requested,
    recent: new RecentValues<TokenHolder>(clock),
    onFault: fault.resolve,
    fault: fault.promise,
  }
}

function hasCode(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof ServiceError && error.code === code
}

suite('access tokens', () => {
  test('a new token authenticates its account with its scopes and is stored only as a hash', async () => {
    const parts = await createParts()
    const wanted = { accountId: parts.account.id, name: ' laptop ', scopes: ['read', 'text', 'text'] as const, expiresAt: null }
    const { text, token } = await createAccessToken(parts, wanted, options)
    assert.deepEqual([token.name, token.scopes, token.hint], ['laptop', ['text', 'read'], text.slice(-4)])
    assert.ok(!JSON.stringify(await listAccessTokens(parts, { accountId: parts.account.id }, options)).includes(text))
    assert.deepEqual(await authenticate(parts, { text }, options), {
      accountId: parts.account.id,
      tokenId: token.id,
      scopes: ['text', 'read'],
      accountLimits: noLimits,
    })
  })

  test('a revocation takes effect within five seconds even if the store takes almost a second, and a slower store rejects the token', async () => {
    const parts = await createParts()
    const wanted = { accountId: parts.account.id, name: 'x', scopes: ['text'] as const, expiresAt: null }
    const { text, token } = await createAccessToken(parts, wanted, options)
    let delayMs = 900
    const slow: AccessTokenStore = {
      ...parts.tokens,
      async findByHash(hash, use) {
        const found = await parts.tokens.findByHash(hash, use)
        await parts.clock.wait(delayMs, use)
        return found
      },
    }
    const ask = async () => {
      const answer = authenticate({ ...parts, tokens: slow }, { text }, options).then(
        () => 'yes',
        (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
      )
      await parts.clock.advance(3000)
      return answer
    }
    const begun = parts.clock.now()
    assert.equal(await ask(), 'yes')
    await revokeAccessToken(parts, { id: token.id, accountId: parts.account.id }, options)
    await parts.clock.advance(begun + 4000 - parts.clock.now())
    assert.equal(await ask(), 'token_revoked')
    delayMs = 2500
    await parts.clock.advance(4000)
    assert.equal(await ask(), 'server_is_overloaded')
  })

  test('a token needs a name, a scope and a future', async () => {
    const parts = await createParts()
    const wanted = { accountId: parts.account.id, name: 'x', scopes: ['text'] as const, expiresAt: null }
    for (const wrong of [{ name: ' ' }, { name: 'x'.repeat(101) }, { scopes: [] }, { expiresAt: parts.clock.now() }])
      await assert.rejects(createAccessToken(parts, { ...wanted, ...wrong }, options), hasCode('validation_error'))
  })

  test('a text that fails its check never reaches the store, and a known token reaches it once in four seconds', async () => {
    const parts = await createParts()
    await assert.rejects(authenticate(parts, { text: 'sepia_wrong' }, options), hasCode('invalid_token'))
    assert.equal(parts.requested.length, 0)
    await assert.rejects(authenticate(parts, { text: makeAccessTokenText() }, options), hasCode('invalid_token'))
    assert.equal(parts.requested.length, 1)
    const { text } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    for (let second = 0; second < 4; second++) {
      await authenticate(parts, { text }, options)
      await parts.clock.advance(1000)
    }
    assert.equal(parts.requested.length, 2)
    await authenticate(parts, { text }, options)
    assert.equal(parts.requested.length, 3)
  })

  test('concurrent look-ups read the store once, and a caller who leaves does not affect the others', async () => {
    const parts = await createParts()
    const { text } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    const leaving = new AbortController()
    const first = authenticate(parts, { text }, leaving)
    const others = Array.from({ length: 100 }, () => authenticate(parts, { text }, options))
    leaving.abort(new Error('left'))
    await assert.rejects(first, /left/)
    for (const { accountId } of await Promise.all(others)) assert.equal(accountId, parts.account.id)
    assert.equal(parts.requested.length, 1)
  })

  test('a failed look-up fails only for concurrent callers', async () => {
    const parts = await createParts()
    const { text } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    const away = { ...parts.tokens, findByHash: () => Promise.reject(new Error('away')) }
    const requested = [0, 1].map(() => authenticate({ ...parts, tokens: away }, { text }, options))
    for (const each of await Promise.allSettled(requested)) assert.equal(each.status, 'rejected')
    assert.equal((await authenticate(parts, { text }, options)).accountId, parts.account.id)
  })

  test('noting a use does not make a token be believed for longer', async () => {
    const parts = await createParts()
    const { text, token } = await createAccessToken(
      parts,
      { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null },
      options,
    )
    await authenticate(parts, { text }, options)
    await parts.clock.advance(57_000)
    await authenticate(parts, { text }, options)
    await parts.clock.advance(3000)
    await authenticate(parts, { text }, options)
    await revokeAccessToken(parts, token, options)
    await parts.clock.advance(1000)
    await assert.rejects(authenticate(parts, { text }, options), hasCode('token_revoked'))
  })

  test('a check never waits for the note of the use, nor fails with it', async () => {
    const parts = await createParts()
    const { text } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    const slow = { ...parts.tokens, touch: () => new Promise<never>(() => {}) }
    assert.equal((await authenticate({ ...parts, tokens: slow }, { text }, options)).accountId, parts.account.id)
    await parts.clock.advance(60_000)
    const full = { ...parts.tokens, touch: () => Promise.reject(new Error('ENOSPC')) }
    assert.equal((await authenticate({ ...parts, tokens: full }, { text }, options)).accountId, parts.account.id)
    assert.match(String(await parts.fault), /ENOSPC/)
  })

  test('a token is looked up again after the clock was set back', async () => {
    const parts = await createParts()
    const { text } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    await authenticate(parts, { text }, options)
    parts.clock.jump(parts.clock.now() - 60_000)
    await authenticate(parts, { text }, options)
    assert.equal(parts.requested.length, 2)
  })

  test('only an account’s own tokens can be revoked', async () => {
    const parts = await createParts()
    const { token } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    await assert.rejects(revokeAccessToken(parts, { id: token.id, accountId: 'other' }, options), hasCode('not_found'))
    await revokeAccessToken(parts, token, options)
    await revokeAccessToken(parts, token, options)
  })

  test('of equal changes at the same time, one reports that it changed the token', async () => {
    const parts = await createParts()
    const { token } = await createAccessToken(parts, { accountId: parts.account.id, name: 'x', scopes: ['text'], expiresAt: null }, options)
    const limit = () => limitAccessToken(parts, token, { tokensPerDay: 5 }, options)
    const revoke = () => revokeAccessToken(parts, token, options)
    for (const change of [limit, revoke]) assert.deepEqual((await Promise.all([change(), change()])).sort(), [false, true])
    await assert.rejects(limitAccessToken(parts, { id: token.id, accountId: 'other' }, { tokensPerDay: 5 }, options), hasCode('not_found'))
  })
})
