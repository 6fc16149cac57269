import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { SignInFault } from '../../core/sign-in/sign-in-fault.ts'
import { createAccount } from './accounts.ts'
import { type Admission, type AdmissionRules, type Admitted, admitIdentity, type ProviderIdentity } from './admit-identity.ts'
import { invite } from './invitations.ts'
import { listIdentities } from './linked-identities.ts'

const options = { signal: new AbortController().signal }
const issuer = 'https://id.example'
const ada: ProviderIdentity = { issuer, subject: 'ada', name: 'Ada Lovelace', verifiedEmail: 'ada@example.org', groups: ['staff'] }
const bob: ProviderIdentity = { ...ada, subject: 'bob', name: 'Bob', verifiedEmail: 'bob@example.org' }
const byGroups: Partial<AdmissionRules> = {
  roles: [
    ['owners', 'owner'],
    ['staff', 'member'],
  ],
}

/** A service whose first account is an owner with this e-mail and a session. */
async function open(email = 'owner@example.org', beforeWrite: (sql: string) => void = () => {}) {
  const clock = createTestClock()
  const store = createMemoryStore({ clock, limits: { maxPending: 1 }, beforeWrite })
  const owner = await createAccount(store, { name: 'Owner', role: 'owner' }, options)
  await store.accounts.setSignIn(owner.id, { name: 'Owner', email, passwordHash: 'x' }, options)
  const admit = (
    identity: ProviderIdentity,
    { rules = {}, ...admission }: { rules?: Partial<AdmissionRules> } & Partial<Admission> = {},
  ): Promise<Admitted> => {
    const whole = { createAccounts: true, emailDomains: [], roles: [], ...rules }
    return admitIdentity(store, { identity, rules: whole, admission: { code: null, linkTo: null, ...admission } }, options)
  }
  const startSession = (accountId: string, hash: string) => {
    const times = { createdAt: clock.now(), expiresAt: clock.now() + 1000, lastUsedAt: null }
    return store.accounts.createSession({ hash, accountId, address: null, agent: null, ...times }, options)
  }
  return {
    store,
    clock,
    owner,
    admit,
    startSession,
    linked: async (accountId: string) => (await listIdentities(store, accountId, options)).map(({ subject }) => subject),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const refused = (admission: Promise<Admitted>, fault: SignInFault) => assert.rejects(admission, { name: 'SignInRefusal', fault })

suite('an identity of the organisation', () => {
  test('gets an account the first time, and finds it by issuer and subject afterwards', async () => {
    await using service = await open()
    const first = await service.admit(ada)
    assert.deepEqual([first.change, first.earlierRole], ['created', null])
    assert.deepEqual([first.account.name, first.account.email, first.account.role], ['Ada Lovelace', 'ada@example.org', 'member'])
    const again = await service.admit({ ...ada, name: 'Ada King', verifiedEmail: 'king@example.org' })
    assert.deepEqual(again, { account: first.account, change: 'none', earlierRole: null })
    const elsewhere = await service.admit({ ...ada, issuer: 'https://other.example', verifiedEmail: null })
    assert.notEqual(elsewhere.account.id, first.account.id)
  })

  test('that signs in twice at the same time gets one account', async () => {
    await using service = await open()
    const admitted = await Promise.all([1, 2, 3, 4].map(() => service.admit(ada)))
    assert.equal(new Set(admitted.map(({ account }) => account.id)).size, 1)
    assert.equal(admitted.filter(({ change }) => change === 'created').length, 1)
    assert.equal((await service.store.accounts.list(options)).length, 2)
  })

  test('is refused without an account if none is created at sign-in, and if its account is disabled', async () => {
    await using service = await open()
    await refused(service.admit(ada, { rules: { createAccounts: false } }), 'unknown')
    const { account } = await service.admit(ada)
    await service.admit(ada, { rules: { createAccounts: false } })
    await service.store.accounts.change(account.id, { by: null, disabledAt: 1 }, options)
    await refused(service.admit(ada), 'locked')
  })

  test('is refused by its domain, in upper or lower case, and without a verified e-mail', async () => {
    await using service = await open()
    const rules = { emailDomains: ['example.org'] }
    for (const verifiedEmail of [null, 'ada@example.org.evil.example', 'example.org@evil.example'])
      await refused(service.admit({ ...ada, verifiedEmail }, { rules }), 'email')
    assert.equal((await service.admit({ ...ada, verifiedEmail: 'Ada@EXAMPLE.org' }, { rules })).change, 'created')
  })

  test('never takes over an account with its e-mail, but can be linked to it', async () => {
    await using service = await open('ADA@example.org')
    await refused(service.admit(ada), 'taken')
    assert.deepEqual(await service.linked(service.owner.id), [])
    const linked = await service.admit(ada, { linkTo: service.owner.id })
    assert.deepEqual([linked.change, linked.account.id], ['linked', service.owner.id])
    assert.deepEqual(await service.linked(service.owner.id), ['ada'])
    assert.equal((await service.admit(ada, { linkTo: service.owner.id })).change, 'none')
    assert.equal((await service.admit(ada)).account.id, service.owner.id)
  })

  test('of one account cannot be linked to another', async () => {
    await using service = await open()
    await service.admit(bob)
    await refused(service.admit(bob, { linkTo: service.owner.id }), 'linked')
    assert.deepEqual(await service.linked(service.owner.id), [])
  })
})

suite('an invitation', () => {
  test('is redeemed once by an identity, with the role of the invitation', async () => {
    await using service = await open()
    const { store, owner, admit } = service
    const code = await invite(store, { role: 'owner', accountId: null, invitedBy: owner.id }, options)
    const joined = await admit(ada, { code, rules: { createAccounts: false } })
    assert.deepEqual([joined.change, joined.account.role, joined.account.email], ['joined', 'owner', 'ada@example.org'])
    await refused(admit(bob, { code }), 'invitation')
    await refused(admit(bob, { code: 'never made' }), 'invitation')
    assert.equal((await admit(ada, { code })).change, 'none')
  })

  test('to an existing account gives it the name of the identity and ends its sessions', async () => {
    await using service = await open()
    const { store, owner, admit, startSession } = service
    const other = await createAccount(store, { name: 'Made at the command line', role: 'member' }, options)
    await startSession(other.id, 'a')
    const code = await invite(store, { role: 'member', accountId: other.id, invitedBy: owner.id }, options)
    const { account, change } = await admit(ada, { code })
    assert.deepEqual([change, account.id, account.name, account.email], ['joined', other.id, 'Ada Lovelace', 'ada@example.org'])
    assert.deepEqual(await store.accounts.listSessions(other.id, options), [])
    assert.deepEqual(await service.linked(other.id), ['ada'])
  })

  test('is not used up by an identity whose e-mail is taken', async () => {
    await using service = await open('ada@example.org')
    const { store, owner, admit } = service
    const code = await invite(store, { role: 'member', accountId: null, invitedBy: owner.id }, options)
    await refused(admit(ada, { code }), 'taken')
    assert.equal((await admit(bob, { code })).change, 'joined')
  })
})

for (const [whose, failing] of [
  ['a new account', / documents/],
  ['a new account', /into accounts/],
  ['an existing account', / documents/],
  ['an existing account', /from sessions/],
] as const)
  test(`an invitation of an identity to ${whose} is still valid if writing ${failing} failed`, async () => {
    let isFull = false
    await using service = await open('owner@example.org', (sql) => {
      if (isFull && failing.test(sql)) throw new Error('The disk is full.')
    })
    const { store, owner, admit } = service
    const existing = whose === 'a new account' ? null : await createAccount(store, { name: 'Somebody', role: 'member' }, options)
    const code = await invite(store, { role: 'member', accountId: existing?.id ?? null, invitedBy: owner.id }, options)
    isFull = true
    await assert.rejects(admit(ada, { code, rules: { createAccounts: false } }))
    isFull = false
    const joined = await admit(ada, { code, rules: { createAccounts: false } })
    assert.deepEqual([joined.change, joined.account.name], ['joined', 'Ada Lovelace'])
    await refused(admit(bob, { code }), 'invitation')
  })

test('an identity whose account could not be stored can still be linked to another account', async () => {
  let isFull = false
  await using service = await open('owner@example.org', (sql) => {
    if (isFull && /into accounts/.test(sql)) throw new Error('The disk is full.')
  })
  const { store, owner, admit } = service
  const code = await invite(store, { role: 'member', accountId: null, invitedBy: owner.id }, options)
  isFull = true
  await assert.rejects(admit(ada, { code }))
  isFull = false
  const { account, change } = await admit(ada, { linkTo: owner.id })
  assert.deepEqual([account.id, change, await service.linked(owner.id)], [owner.id, 'linked', [ada.subject]])
})

suite('group membership', () => {
  test('sets the role at each sign-in and reports the earlier one', async () => {
    await using service = await open()
    const owning = { ...ada, groups: ['staff', 'owners'] }
    const roles: unknown[] = []
    for (const identity of [owning, ada, ada, owning]) {
      const { account, earlierRole } = await service.admit(identity, { rules: byGroups })
      assert.equal((await service.store.accounts.find(account.id, options))?.role, account.role)
      roles.push([account.role, earlierRole])
    }
    const expected = [
      ['owner', null],
      ['member', 'owner'],
      ['member', null],
      ['owner', 'member'],
    ]
    assert.deepEqual(roles, expected)
  })

  test('never removes the last owner', async () => {
    await using service = await open()
    const { account } = await service.admit(ada, { linkTo: service.owner.id, rules: byGroups })
    assert.equal(account.role, 'owner')
  })

  test('of everybody is written as a star', async () => {
    await using service = await open()
    const { account } = await service.admit({ ...ada, groups: [] }, { rules: { roles: [['*', 'member']] } })
    assert.equal(account.role, 'member')
  })

  test('that is lost refuses the identity and ends its sessions', async () => {
    await using service = await open()
    const { account } = await service.admit(ada, { rules: byGroups })
    await service.startSession(account.id, 'a')
    await refused(service.admit({ ...ada, groups: ['guests'] }, { rules: byGroups }), 'group')
    assert.deepEqual(await service.store.accounts.listSessions(account.id, options), [])
    await refused(service.admit({ ...bob, groups: [] }, { rules: byGroups }), 'group')
  })
})
