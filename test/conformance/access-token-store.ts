import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessToken } from '../../src/core/access-token.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const token: AccessToken = {
  id: 't',
  accountId: 'a',
  name: 'laptop',
  hash: 'ab'.repeat(32),
  hint: 'wxyz',
  scopes: ['text', 'read'],
  createdAt: 1,
  expiresAt: 100,
  revokedAt: null,
  lastUsedAt: null,
}

export function testAccessTokenStore(name: string, open: StoreFactory): void {
  test(`${name} tokens: are found by hash, listed by account, touched and revoked`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.tokens.create(token, options)
    await store.tokens.create({ ...token, id: 'u', hash: 'cd', accountId: 'b', scopes: [] }, options)
    assert.deepEqual(await store.tokens.findByHash(token.hash, options), token)
    assert.equal(await store.tokens.findByHash('ef', options), null)
    assert.deepEqual(await store.tokens.list('a', options), [token])
    assert.deepEqual((await store.tokens.list('b', options))[0]?.scopes, [])
    await store.tokens.touch('t', 50, options)
    assert.equal(await store.tokens.setRevoked({ id: 't', accountId: 'b' }, 60, options), false)
    assert.equal(await store.tokens.setRevoked({ id: 't', accountId: 'a' }, 60, options), true)
    assert.deepEqual(await store.tokens.findByHash(token.hash, options), { ...token, lastUsedAt: 50, revokedAt: 60 })
    await store.tokens.setRevoked({ id: 't', accountId: 'a' }, null, options)
    assert.equal((await store.tokens.findByHash(token.hash, options))?.revokedAt, null)
  })
}
