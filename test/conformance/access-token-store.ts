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
    assert.equal(await store.tokens.revoke({ id: 't', accountId: 'b' }, 60, options), false)
    assert.equal(await store.tokens.revoke({ id: 't', accountId: 'a' }, 60, options), true)
    assert.deepEqual(await store.tokens.findByHash(token.hash, options), { ...token, lastUsedAt: 50, revokedAt: 60 })
  })

  test(`${name} tokens: a revocation is taken back only while it is young, and a second one makes it no younger`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.tokens.create(token, options)
    const target = { id: 't', accountId: 'a' }
    assert.equal(await store.tokens.restore(target, 0, options), false)
    await store.tokens.revoke(target, 60, options)
    await store.tokens.revoke(target, 90, options)
    assert.equal(await store.tokens.restore(target, 61, options), false)
    assert.equal(await store.tokens.restore({ ...target, accountId: 'b' }, 60, options), false)
    assert.equal(await store.tokens.restore(target, 60, options), true)
    assert.equal((await store.tokens.findByHash(token.hash, options))?.revokedAt, null)
  })

  test(`${name} tokens: all of an account are revoked at once, but for those that are already`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const [id, accountId] of [
      ['t', 'a'],
      ['u', 'a'],
      ['v', 'b'],
    ] as const)
      await store.tokens.create({ ...token, id, accountId, hash: id }, options)
    await store.tokens.revoke({ id: 't', accountId: 'a' }, 60, options)
    assert.equal(await store.tokens.revokeAll('a', 70, options), 1)
    const revoked = await Promise.all(['t', 'u', 'v'].map(async (hash) => (await store.tokens.findByHash(hash, options))?.revokedAt))
    assert.deepEqual(revoked, [60, 70, null])
  })
}
