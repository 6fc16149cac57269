import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessToken } from '../../src/core/access-token.ts'
import { noUseLimits } from '../../src/core/limits/use-limits.ts'
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
  limits: { ...noUseLimits, tokensPerDay: 7 },
}

export function testAccessTokenStore(name: string, open: StoreFactory): void {
  test(`${name} tokens: an account has a limited number of tokens, and only its newest expired or revoked ones are kept`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const make = (index: number, changes: Partial<AccessToken> = {}) =>
      store.tokens.create(
        { ...token, id: `t${index}`, hash: `h${index}`, createdAt: index, expiresAt: null, ...changes },
        { ...options, most: 2 },
      )
    assert.deepEqual((await Promise.all([1, 2, 3].map((index) => make(index)))).sort(), [false, true, true])
    assert.equal(await make(4, { accountId: 'b' }), true)
    const [first] = await store.tokens.list('a', options)
    await store.tokens.revoke({ id: first?.id ?? '', accountId: 'a' }, 5, options)
    assert.equal(await make(6, { expiresAt: 7 }), true)
    assert.equal(await make(7), true)
    assert.equal(await make(8), false)
    for (let index = 9; index < 15; index++) {
      for (const { id } of await store.tokens.list('a', options)) await store.tokens.revoke({ id, accountId: 'a' }, index, options)
      assert.equal(await make(index), true)
    }
    const kept = await store.tokens.list('a', options)
    assert.deepEqual(
      kept.map(({ id, revokedAt }) => [id, revokedAt === null]),
      [
        ['t12', false],
        ['t13', false],
        ['t14', true],
      ],
    )
    assert.equal((await store.tokens.list('b', options)).length, 1)
  })

  test(`${name} tokens: can be found by hash, listed by account, touched and revoked`, async () => {
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
    assert.equal(await store.tokens.revoke({ id: 't', accountId: 'a' }, 60, options), false)
    assert.deepEqual(await store.tokens.findByHash(token.hash, options), { ...token, lastUsedAt: 50, revokedAt: 60 })
  })

  test(`${name} tokens: a revocation can be undone for a short time, and a second one does not extend that time`, async () => {
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

  test(`${name} tokens: revocations cannot be undone beyond the limit of tokens, also at once`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    const most = 2
    for (const id of ['t', 'u', 'v']) {
      await store.tokens.create({ ...token, id, hash: id, expiresAt: null }, { ...options, most })
      await store.tokens.revoke({ id, accountId: 'a' }, 60, options)
    }
    await store.tokens.create({ ...token, id: 'w', hash: 'w', expiresAt: null }, { ...options, most })
    const kept = (await store.tokens.list('a', options)).filter(({ revokedAt }) => revokedAt !== null)
    const restored = await Promise.all(kept.map(({ id }) => store.tokens.restore({ id, accountId: 'a' }, 60, { ...options, most })))
    assert.deepEqual(restored.toSorted(), [false, true])
    await store.tokens.revoke({ id: 'w', accountId: 'a' }, 70, options)
    assert.equal(await store.tokens.restore({ id: 'w', accountId: 'a' }, 60, { ...options, most }), true)
  })

  test(`${name} tokens: revoking all tokens of an account leaves those already revoked as they are`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const [id, accountId] of [
      ['t', 'a'],
      ['u', 'a'],
      ['v', 'b'],
    ] as const)
      await store.tokens.create({ ...token, id, accountId, hash: id }, options)
    await store.tokens.revoke({ id: 't', accountId: 'a' }, 60, options)
    assert.equal(await store.tokens.revokeAll('a', 70, options), 1)
    const revoked: (number | null | undefined)[] = []
    for (const hash of ['t', 'u', 'v']) revoked.push((await store.tokens.findByHash(hash, options))?.revokedAt)
    assert.deepEqual(revoked, [60, 70, null])
  })

  test(`${name} tokens: a batch lookup returns tokens revoked, also by another process, or deleted since`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const id of ['t', 'u', 'v']) await store.tokens.create({ ...token, id, hash: id }, options)
    assert.deepEqual(await store.tokens.revokedOf(['t', 'u', 'gone'], options), ['gone'])
    for (const id of ['t', 'v']) await store.tokens.revoke({ id, accountId: 'a' }, 60, options)
    assert.deepEqual(await store.tokens.revokedOf(['t', 'u', 'gone'], options), ['t', 'gone'])
    await store.tokens.restore({ id: 't', accountId: 'a' }, 60, options)
    assert.deepEqual(await store.tokens.revokedOf(['t', 'u', 'v'], options), ['v'])
    assert.deepEqual(await store.tokens.revokedOf([], options), [])
  })

  test(`${name} tokens: the names of several are read at once, including revoked ones`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    for (const id of ['t', 'u', 'v']) await store.tokens.create({ ...token, id, hash: id, name: `name of ${id}` }, options)
    await store.tokens.revoke({ id: 't', accountId: 'a' }, 60, options)
    const names = await store.tokens.namesOf(['t', 'v', 'gone'], options)
    assert.deepEqual([...names].sort(), [
      ['t', 'name of t'],
      ['v', 'name of v'],
    ])
    assert.deepEqual([...(await store.tokens.namesOf([], options))], [])
  })

  test(`${name} tokens: have their own limits, and a change affects only the given ones`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    await store.tokens.create(token, options)
    const target = { id: 't', accountId: 'a' }
    assert.equal(await store.tokens.limit(target, { requestsPerMinute: 5, moneyPerMonth: 6_000_000_000 }, options), true)
    assert.equal(await store.tokens.limit(target, { requestsPerMinute: 5, tokensPerDay: 7, imagesPerDay: null }, options), false)
    assert.equal(await store.tokens.limit({ id: 't', accountId: 'b' }, { requestsPerMinute: 1 }, options), false)
    assert.equal(await store.tokens.limit(target, {}, options), false)
    const limitsOf = async () => (await store.tokens.findByHash(token.hash, options))?.limits
    assert.deepEqual(await limitsOf(), { ...noUseLimits, requestsPerMinute: 5, tokensPerDay: 7, moneyPerMonth: 6_000_000_000 })
    assert.equal(await store.tokens.limit(target, { tokensPerDay: null, requestsPerMinute: 5 }, options), true)
    assert.equal(await store.tokens.limit(target, { requestsPerMinute: null }, options), true)
    assert.deepEqual(await limitsOf(), { ...noUseLimits, moneyPerMonth: 6_000_000_000 })
  })
}
