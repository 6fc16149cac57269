import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Account } from '../../src/core/account.ts'
import { defined } from '../../src/core/defined.ts'
import { noLimits } from '../../src/core/limits/use-limits.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

function makeAccount(overrides: Partial<Account> = {}): Account {
  return { id: 'a', name: 'Ada', email: null, role: 'member', createdAt: 1, disabledAt: null, limits: noLimits, ...overrides }
}

/** Accounts, sign-in, sessions and invitations. */
export function testAccountStore(name: string, open: StoreFactory): void {
  const openRoomy = () => open({ clock: createTestClock(), limits: roomy })

  test(`${name} accounts: are listed in the order in which they were created`, async () => {
    await using store = await openRoomy()
    const [ada, bob] = [makeAccount(), makeAccount({ id: 'b', name: 'Bob', role: 'owner', createdAt: 2 })]
    await store.accounts.create(bob, options)
    await store.accounts.create(ada, options)
    assert.deepEqual(await store.accounts.find('a', options), ada)
    assert.equal(await store.accounts.find('c', options), null)
    assert.deepEqual(await store.accounts.list(options), [ada, bob])
    await assert.rejects(store.accounts.create(ada, options))
    assert.equal(await store.accounts.change('a', { by: null, role: 'owner', disabledAt: 5 }, options), true)
    assert.deepEqual(await store.accounts.find('a', options), { ...ada, role: 'owner', disabledAt: 5 })
  })

  test(`${name} accounts: exactly one of several first owners created at once is kept`, async () => {
    await using store = await openRoomy()
    await store.accounts.create(makeAccount({ id: 'member' }), options)
    const owners = Array.from({ length: 8 }, (_, index) => makeAccount({ id: `o${index}`, role: 'owner' }))
    const kept = await Promise.all(owners.map((owner) => store.accounts.createFirstOwner(owner, options)))
    assert.equal(kept.filter((each) => each).length, 1)
    assert.equal((await store.accounts.list(options)).length, 2)
    assert.equal(await store.accounts.createFirstOwner(makeAccount({ id: 'late', role: 'owner' }), options), false)
  })

  test(`${name} accounts: limits change one by one and can be lifted again`, async () => {
    await using store = await openRoomy()
    const limitsOf = async (id: string) => (await store.accounts.find(id, options))?.limits
    await store.accounts.create(makeAccount({ limits: { ...noLimits, imagesPerDay: 7 } }), options)
    await store.accounts.create(makeAccount({ id: 'b' }), options)
    await store.accounts.change('a', { by: null, limits: { requestsPerMinute: 60, tokensPerDay: 5_000_000_000 } }, options)
    assert.deepEqual(await limitsOf('a'), { ...noLimits, requestsPerMinute: 60, tokensPerDay: 5_000_000_000, imagesPerDay: 7 })
    await store.accounts.change(
      'a',
      { by: null, limits: { requestsPerMinute: null, imagesPerDay: 0, tokensPerMonth: 6_000_000_000, imagesPerMonth: 8 } },
      options,
    )
    await store.accounts.change('a', { by: null, limits: {} }, options)
    assert.deepEqual(await limitsOf('a'), {
      ...noLimits,
      requestsPerMinute: null,
      tokensPerDay: 5_000_000_000,
      imagesPerDay: 0,
      tokensPerMonth: 6_000_000_000,
      imagesPerMonth: 8,
    })
    assert.deepEqual(await limitsOf('b'), noLimits)
  })

  test(`${name} accounts: an e-mail belongs to one account, regardless of case`, async () => {
    await using store = await openRoomy()
    await store.accounts.create(makeAccount(), options)
    await store.accounts.create(makeAccount({ id: 'b' }), options)
    assert.equal(await store.accounts.findByEmail('ada@example.com', options), null)
    assert.equal(await store.accounts.setSignIn('a', { name: 'Ada L', email: 'Ada@example.com', passwordHash: 'h' }, options), true)
    assert.equal(await store.accounts.setSignIn('b', { name: 'B', email: 'aDA@EXAMPLE.com', passwordHash: 'i' }, options), false)
    assert.equal(await store.accounts.setSignIn('a', { name: 'Ada', email: 'ada@example.com', passwordHash: 'j' }, options), true)
    assert.equal(await store.accounts.setSignIn('a', { name: 'Ada L', email: 'ada@example.com', passwordHash: null }, options), true)
    const late = { name: 'Eve', email: 'eve@example.com', passwordHash: 'k' }
    assert.equal(await store.accounts.setSignIn('a', late, { ...options, verifiedHash: 'h' }), false)
    const found = await store.accounts.findByEmail('ADA@example.com', options)
    assert.deepEqual(found, { account: makeAccount({ name: 'Ada L', email: 'ada@example.com' }), passwordHash: 'j' })
    assert.equal(await store.accounts.setSignIn('a', late, { ...options, verifiedHash: 'j' }), true)
  })

  test(`${name} accounts: sessions end one by one or all at once`, async () => {
    await using store = await openRoomy()
    await store.accounts.create(makeAccount(), options)
    const sessions = ['1', '2', '3'].map((hash) => ({
      hash,
      accountId: 'a',
      address: '192.0.2.1',
      agent: 'Firefox',
      createdAt: 1,
      expiresAt: 2,
      lastUsedAt: null,
    }))
    for (const session of sessions) await store.accounts.createSession(session, options)
    assert.deepEqual(await store.accounts.findSession('1', options), sessions[0])
    assert.deepEqual(await store.accounts.listSessions('a', options), sessions)
    assert.deepEqual(await store.accounts.listSessions('b', options), [])
    await store.accounts.touchSession('2', 7, options)
    await store.accounts.touchSession('none', 7, options)
    assert.deepEqual(
      (await store.accounts.listSessions('a', options)).map(({ lastUsedAt }) => lastUsedAt),
      [null, 7, null],
    )
    await store.accounts.deleteSession('1', options)
    assert.equal(await store.accounts.findSession('1', options), null)
    await store.accounts.deleteSessionsOf('a', options)
    assert.equal(await store.accounts.findSession('3', options), null)
  })

  test(`${name} accounts: exactly one caller can use an invitation`, async () => {
    await using store = await openRoomy()
    await store.accounts.create(makeAccount({ role: 'owner' }), options)
    const invitation = { hash: 'h', role: 'member', accountId: null, invitedBy: 'a', note: 'Bob', createdAt: 1, expiresAt: 9 } as const
    await store.accounts.createInvitation(invitation, options)
    assert.deepEqual(await store.accounts.findInvitation('h', options), invitation)
    assert.deepEqual(await store.accounts.listInvitations(options), [invitation])
    const taken = await Promise.all([1, 2, 3].map(() => store.accounts.takeInvitation('h', options)))
    assert.deepEqual(taken.sort(), [false, false, true])
    assert.equal(await store.accounts.findInvitation('h', options), null)
  })

  test(`${name} accounts: exactly one caller redeems an invitation, and a taken e-mail changes nothing`, async () => {
    await using store = await openRoomy()
    const { accounts } = store
    const ada = makeAccount({ email: 'ada@example.com' })
    await accounts.create(ada, options)
    const invitation = { hash: 'h', role: 'member', accountId: null, invitedBy: null, note: null, createdAt: 1, expiresAt: 9 } as const
    await accounts.createInvitation(invitation, options)
    const redeem = (id: string, email: string) =>
      accounts.redeemInvitation(invitation, { ...makeAccount({ id, email }), passwordHash: `of ${id}` }, options)
    assert.equal(await redeem('b', 'ADA@example.com'), false)
    assert.deepEqual([await accounts.list(options), await accounts.findInvitation('h', options)], [[ada], invitation])
    const redeemed = await Promise.all(['c', 'd', 'e'].map((id) => redeem(id, `${id}@example.com`)))
    assert.deepEqual(redeemed.toSorted(), [false, false, true])
    assert.equal((await accounts.list(options)).length, 2)
    const id = ['c', 'd', 'e'][redeemed.indexOf(true)] ?? ''
    const account = makeAccount({ id, email: `${id}@example.com` })
    assert.deepEqual(await accounts.findByEmail(`${id}@example.com`, options), { account, passwordHash: `of ${id}` })
    assert.equal(await accounts.findInvitation('h', options), null)
  })

  test(`${name} accounts: a redeemed invitation to an account sets its sign-in and ends its sessions, not its role or limits`, async () => {
    await using store = await openRoomy()
    const { accounts } = store
    const ada = makeAccount({ role: 'owner', limits: { ...noLimits, imagesPerDay: 7 } })
    for (const each of [ada, makeAccount({ id: 'b', email: 'bob@example.com' })]) await accounts.create(each, options)
    const times = { createdAt: 1, expiresAt: 9, lastUsedAt: null }
    for (const id of ['a', 'b']) await accounts.createSession({ hash: id, accountId: id, address: null, agent: null, ...times }, options)
    const invitation = { hash: 'h', role: 'member', accountId: 'a', invitedBy: null, note: null, createdAt: 1, expiresAt: 9 } as const
    await accounts.createInvitation(invitation, options)
    const redeem = (email: string) =>
      accounts.redeemInvitation(invitation, { ...makeAccount({ name: 'Ada L', email }), passwordHash: 'h' }, options)
    assert.equal(await redeem('bob@example.com'), false)
    assert.deepEqual([(await accounts.listSessions('a', options)).length, await accounts.find('a', options)], [1, ada])
    assert.deepEqual([await redeem('Ada@example.com'), await redeem('Ada@example.com')], [true, false])
    const account = { ...ada, name: 'Ada L', email: 'Ada@example.com' }
    assert.deepEqual(await accounts.findByEmail('ada@example.com', options), { account, passwordHash: 'h' })
    assert.deepEqual([(await accounts.listSessions('a', options)).length, (await accounts.listSessions('b', options)).length], [0, 1])
  })

  test(`${name} accounts: the last first-run link is valid, and exactly one of those made at once`, async () => {
    await using store = await openRoomy()
    for (const id of ['a', 'b']) await store.accounts.create(makeAccount({ id, role: 'owner' }), options)
    const link = (hash: string, createdAt: number) =>
      ({ hash, role: 'owner', accountId: 'a', invitedBy: null, note: null, createdAt, expiresAt: 99 }) as const
    const hashes = async () => (await store.accounts.listInvitations(options)).map(({ hash }) => hash)
    await store.accounts.createInvitation({ ...link('into another', 1), accountId: 'b' }, options)
    const made = await Promise.all(
      ['1', '2', '3'].map((hash) => store.accounts.createFirstRunInvitation(link(hash, 5), { ...options, unlessSince: 4 })),
    )
    assert.deepEqual(made.toSorted(), [false, false, true])
    assert.equal(await store.accounts.createFirstRunInvitation(link('too soon', 9), { ...options, unlessSince: 5 }), false)
    assert.equal((await hashes()).length, 2)
    assert.equal(await store.accounts.createFirstRunInvitation(link('later', 9), { ...options, unlessSince: 6 }), true)
    assert.deepEqual(await hashes(), ['into another', 'later'])
    await store.accounts.change('a', { by: null, disabledAt: 5 }, options)
    assert.equal(await store.accounts.createFirstRunInvitation(link('disabled', 9), { ...options, unlessSince: 99 }), false)
  })

  test(`${name} accounts: exactly one of two owners who demote or disable each other at once succeeds`, async () => {
    await using store = await openRoomy()
    for (const id of ['a', 'b']) await store.accounts.create(makeAccount({ id, role: 'owner' }), options)
    const done = await Promise.all([
      store.accounts.change('a', { by: 'b', role: 'member' }, options),
      store.accounts.change('b', { by: 'a', disabledAt: 5 }, options),
    ])
    assert.deepEqual(done.sort(), [false, true])
    const left = (await store.accounts.list(options)).filter(({ role, disabledAt }) => role === 'owner' && disabledAt === null)
    assert.equal(left.length, 1)
    assert.equal(await store.accounts.change('c', { by: null, role: 'member' }, options), false)
  })

  test(`${name} accounts: invitations end when their maker loses the right to make them, and do not come back`, async () => {
    await using store = await openRoomy()
    for (const id of ['a', 'b']) await store.accounts.create(makeAccount({ id, role: 'owner' }), options)
    await store.accounts.create(makeAccount({ id: 'm' }), options)
    const base = { role: 'owner', note: null, createdAt: 1, expiresAt: 9 } as const
    const made = [
      { ...base, hash: 'by-a', accountId: null, invitedBy: 'a' },
      { ...base, hash: 'by-b', accountId: null, invitedBy: 'b' },
      { ...base, hash: 'own-a', accountId: 'a', invitedBy: 'a' },
      { ...base, hash: 'into-m', accountId: 'm', invitedBy: 'a' },
      { ...base, hash: 'first', accountId: null, invitedBy: null },
    ]
    for (const invitation of made) assert.equal(await store.accounts.createInvitation(invitation, options), true)
    assert.equal(await store.accounts.createInvitation({ ...base, hash: 'by-m', accountId: null, invitedBy: 'm' }, options), false)
    const hashes = async () => (await store.accounts.listInvitations(options)).map(({ hash }) => hash).sort()
    await store.accounts.change('a', { by: null, role: 'member' }, options)
    await store.accounts.change('a', { by: null, role: 'owner' }, options)
    assert.deepEqual(await hashes(), ['by-b', 'first', 'own-a'])
    for (const disabledAt of [5, null]) await store.accounts.change('a', { by: null, disabledAt }, options)
    for (const disabledAt of [5, null]) await store.accounts.change('b', { by: null, disabledAt }, options)
    assert.deepEqual(await hashes(), ['first'])
    await store.accounts.change('m', { by: null, disabledAt: 5 }, options)
    assert.equal(await store.accounts.createInvitation({ ...base, hash: 'x', accountId: 'm', invitedBy: 'a' }, options), false)
  })

  test(`${name} accounts: a sign-in with a password that was changed meanwhile opens no session`, async () => {
    await using store = await openRoomy()
    await store.accounts.create(makeAccount(), options)
    const signIn = { name: 'Ada', email: 'ada@example.com' }
    await store.accounts.setSignIn('a', { ...signIn, passwordHash: 'old' }, options)
    const open = (hash: string, passwordHash?: string) => {
      const times = { createdAt: 1, expiresAt: 2, lastUsedAt: null }
      return store.accounts.createSession(
        { hash, accountId: 'a', address: null, agent: null, ...times },
        { ...options, ...defined({ passwordHash }) },
      )
    }
    assert.equal(await open('before', 'old'), true)
    await store.accounts.setSignIn('a', { ...signIn, passwordHash: 'new' }, options)
    assert.deepEqual([await open('late', 'old'), await open('after', 'new'), await open('any')], [false, true, true])
    assert.equal(await store.accounts.findSession('late', options), null)
  })

  test(`${name} accounts: disabling an account ends its sessions for good and prevents new ones`, async () => {
    await using store = await openRoomy()
    for (const id of ['a', 'b']) await store.accounts.create(makeAccount({ id }), options)
    const sessionOf = (accountId: string) => ({
      hash: `of ${accountId}`,
      accountId,
      address: null,
      agent: null,
      createdAt: 1,
      expiresAt: 2,
      lastUsedAt: null,
    })
    for (const id of ['a', 'b']) assert.equal(await store.accounts.createSession(sessionOf(id), options), true)
    await store.accounts.change('a', { by: null, disabledAt: 5 }, options)
    assert.equal(await store.accounts.createSession({ ...sessionOf('a'), hash: 'later' }, options), false)
    await store.accounts.change('a', { by: null, disabledAt: null }, options)
    for (const hash of ['of a', 'later']) assert.equal(await store.accounts.findSession(hash, options), null)
    assert.deepEqual(await store.accounts.findSession('of b', options), sessionOf('b'))
  })

  test(`${name} accounts: an account without an e-mail gets name and e-mail once, but not those of another account`, async () => {
    await using store = await openRoomy()
    for (const id of ['a', 'b']) await store.accounts.create(makeAccount({ id }), options)
    assert.equal(await store.accounts.setProfile('a', { name: 'Ada L', email: 'Ada@example.com' }, options), true)
    assert.equal(await store.accounts.setProfile('a', { name: 'Eve', email: 'eve@example.com' }, options), false)
    assert.equal(await store.accounts.setProfile('b', { name: 'Eve', email: 'ada@EXAMPLE.com' }, options), false)
    assert.equal(await store.accounts.setProfile('c', { name: 'Eve', email: 'eve@example.com' }, options), false)
    assert.deepEqual(await store.accounts.find('a', options), makeAccount({ name: 'Ada L', email: 'Ada@example.com' }))
    assert.deepEqual(await store.accounts.find('b', options), makeAccount({ id: 'b' }))
  })

  test(`${name} accounts: concurrent changes that keep an owner leave one owner who can sign in`, async () => {
    await using store = await openRoomy()
    for (const id of ['a', 'b']) await store.accounts.create(makeAccount({ id, role: 'owner', email: `${id}@example.com` }), options)
    await store.accounts.create(makeAccount({ id: 'tokens-only', role: 'owner' }), options)
    await store.accounts.create(makeAccount({ id: 'm' }), options)
    const demote = (id: string) => store.accounts.change(id, { by: null, role: 'member', keepsOwner: true }, options)
    assert.deepEqual((await Promise.all([demote('a'), demote('b')])).sort(), [false, true])
    const left = (await store.accounts.list(options)).filter(({ role, email }) => role === 'owner' && email !== null)
    assert.equal(left.length, 1)
    assert.equal(await demote(left[0]?.id ?? ''), false)
    assert.equal(await demote('m'), true)
    assert.equal(await store.accounts.change('m', { by: null, role: 'owner', keepsOwner: true }, options), true)
  })
}
