import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AdmissionRules } from '../../src/operations/access/admit-identity.ts'
import { listIdentities } from '../../src/operations/access/linked-identities.ts'
import { type ConsoleService, startConsoleService } from '../support/console-service.ts'
import { CookieJar } from '../support/sign-in/cookie-jar.ts'
import { ada, anybody, begin, comeBack, faultPage as fault, openOrganisation as open, signIn } from '../support/sign-in/organisation.ts'
import { visitProvider } from '../support/sign-in/visit-provider.ts'

const options = { signal: new AbortController().signal }
const actionsOf = async ({ store }: ConsoleService) =>
  (await store.audit.list({ before: null, limit: 50 }, options)).map(({ action }) => action).toReversed()

describe('signing in with the organisation', () => {
  test('creates an account the first time, and finds it by issuer and subject afterwards', async () => {
    await using service = await open()
    const first = await signIn(service, ada, { body: { page: '/console/gallery' } })
    assert.equal(first.location, '/console/gallery')
    assert.deepEqual([first.account.name, first.account.email, first.account.role], ['Ada Lovelace', 'ada@example.org', 'member'])
    assert.equal(first.jar.get('sepia_openid'), undefined)
    const again = await signIn(service, { ...ada, name: 'Ada King', email: 'king@example.org' })
    assert.equal(again.account.id, first.account.id)
    assert.deepEqual(await actionsOf(service), ['account-created', 'identity-linked', 'signed-in', 'signed-in'])
  })

  test('of one new person in many browsers at once creates one account', async () => {
    await using service = await open()
    service.provider.person = ada
    const begun = await Promise.all(Array.from({ length: 4 }, () => begin(service)))
    const returned = await Promise.all(begun.map(({ address }) => visitProvider(address)))
    const locations = await Promise.all(begun.map(({ jar }, index) => comeBack(service, jar, returned[index] ?? '')))
    assert.deepEqual(new Set(locations), new Set(['/console/chat']))
    assert.equal((await service.store.accounts.list(options)).length, 2)
  })

  test('starts a session that is limited by the setting, and ends when signing out', async () => {
    await using service = await open()
    const { jar } = await signIn(service, ada)
    const ask = async () => (await service.send('GET', '/console/api/session', { cookie: jar.header() })).json().account
    assert.notEqual(await ask(), null)
    await service.clock.advance(14 * 24 * 60 * 60 * 1000)
    assert.equal(await ask(), null)
    const second = await signIn(service, ada)
    await service.send('DELETE', '/console/api/session', { cookie: second.jar.header() })
    const after = await service.send('GET', '/console/api/session', { cookie: second.jar.header() })
    assert.equal(after.json().account, null)
  })

  test('that starts on one node can end on another', async () => {
    await using service = await open()
    const { store, provider } = service
    const { issuer, clientId, clientSecret } = provider
    const openId = {
      issuer,
      clientId,
      clientSecret,
      scopes: 'openid email profile',
      label: 'Example',
      groupsClaim: 'groups',
      rules: anybody,
    }
    const other = await startConsoleService({ signIn: { openId }, store, clock: service.clock })
    await using _closed = { [Symbol.asyncDispose]: () => other.server.close() }
    provider.person = ada
    const { jar, address } = await begin(service)
    assert.equal(await comeBack(other, jar, await visitProvider(address)), '/console/chat')
  })

  test('behind a TLS proxy returns to the public address, with cookies bound to it', async () => {
    await using service = await open({ url: 'https://sepia.example' })
    service.provider.person = ada
    const { jar, answer, address } = await begin(service)
    assert.match(String(answer.headers['set-cookie']), /^__Host-sepia_openid=.*; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/)
    assert.equal(new URL(address).searchParams.get('redirect_uri'), 'https://sepia.example/console/sign-in/callback')
    const returned = await visitProvider(address)
    assert.equal(await comeBack(service, jar, returned), '/console/chat')
    assert.notEqual(jar.get('__Host-sepia_session'), undefined)
  })
})

describe('a sign-in with the organisation is rejected', () => {
  test('if the person cancels', async () => {
    await using service = await open()
    assert.equal((await signIn(service, null)).location, fault('cancelled'))
    assert.equal(service.refused.length, 1)
  })

  test('if the account is disabled', async () => {
    await using service = await open()
    const { account } = await signIn(service, ada)
    await service.store.accounts.change(account.id, { by: null, disabledAt: 1 }, options)
    assert.deepEqual((await signIn(service, ada)).location, fault('locked'))
  })

  for (const [what, person] of [
    ['not verified', { ...ada, email_verified: false }],
    ['of another domain', { ...ada, email: 'ada@example.org.evil.example' }],
    ['missing', { sub: 'ada', name: 'Ada' }],
  ] as const)
    test(`if an e-mail domain is required and the e-mail is ${what}`, async () => {
      await using service = await open({ rules: { emailDomains: ['example.org'] } })
      assert.equal((await signIn(service, person)).location, fault('email'))
      assert.equal((await signIn(service, { ...ada, email: 'Ada@EXAMPLE.org' })).location, '/console/chat')
    })

  test('if the person has no account and none is created at sign-in', async () => {
    await using service = await open({ rules: { createAccounts: false } })
    assert.equal((await signIn(service, ada)).location, fault('unknown'))
    assert.equal((await service.store.accounts.list(options)).length, 1)
  })
})

describe('an account with the same e-mail', () => {
  test('is never taken over, verified or not; its password links it', async () => {
    await using service = await open()
    const owner = await service.join(service.firstCode, 'ada@example.org')
    assert.equal((await signIn(service, { ...ada, email: 'ADA@example.org' })).location, fault('taken'))
    const stranger = await signIn(service, { ...ada, sub: 'eve', email_verified: false })
    assert.notEqual(stranger.account.id, service.ownerId)
    assert.equal(stranger.account.email, null)

    const jar = new CookieJar()
    jar.take(owner)
    const linked = await signIn(service, ada, { jar, body: { link: true, page: '/console/account' } })
    assert.deepEqual([linked.location, linked.account.id], ['/console/account', service.ownerId])
    assert.equal((await signIn(service, ada)).account.id, service.ownerId)
  })

  test('cannot be linked without a session, nor to an identity of another account', async () => {
    await using service = await open()
    const { answer } = await begin(service, { body: { link: true } })
    assert.equal(answer.statusCode, 401)
    await signIn(service, { ...ada, sub: 'bob', email: 'bob@example.org' })
    const jar = new CookieJar()
    jar.take(await service.join(service.firstCode, 'ada@example.org'))
    const { location } = await signIn(service, { ...ada, sub: 'bob' }, { jar, body: { link: true, page: '/console/account' } })
    assert.equal(location, '/console/account?fault=linked')
    assert.deepEqual(await listIdentities(service.store, service.ownerId, options), [])
  })

  test('keeps its last way to sign in, and only its person can remove another one', async () => {
    await using service = await open()
    const { jar } = await signIn(service, { ...ada, sub: 'bob', email: 'bob@example.org' })
    const ways = async (cookie: string) => (await service.send('GET', '/console/api/sign-in-ways', { cookie })).json()
    const unlink = async (cookie: string, id: string) =>
      (await service.send('DELETE', `/console/api/identities/${id}`, { cookie })).statusCode
    const [bobs] = (await ways(jar.header())).identities
    assert.equal((await ways(jar.header())).password, false)
    assert.equal(await unlink(jar.header(), bobs.id), 422)
    const owner = new CookieJar()
    owner.take(await service.join(service.firstCode, 'ada@example.org'))
    await signIn(service, ada, { jar: owner, body: { link: true } })
    const [adas] = (await ways(owner.header())).identities
    assert.equal(await unlink(owner.header(), bobs.id), 404)
    assert.equal(await unlink(owner.header(), adas.id), 204)
  })
})

describe('an invitation', () => {
  test('is used up by signing in with the organisation, and only once', async () => {
    await using service = await open({ rules: { createAccounts: false } })
    const first = await signIn(service, ada, { body: { code: service.firstCode } })
    assert.deepEqual([first.account.id, first.account.role, first.account.email], [service.ownerId, 'owner', 'ada@example.org'])
    assert.equal((await signIn(service, { ...ada, sub: 'eve' }, { body: { code: service.firstCode } })).location, fault('invitation'))
    const cookie = first.jar.header()
    const { code } = (await service.send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })).json()
    const bob = await signIn(service, { ...ada, sub: 'bob', email: 'bob@example.org' }, { body: { code } })
    assert.equal(bob.account.role, 'member')
  })
})

describe('group membership', () => {
  const rules: Partial<AdmissionRules> = {
    roles: [
      ['owners', 'owner'],
      ['staff', 'member'],
    ],
  }
  const owning = { ...ada, groups: ['owners', 'staff'] }

  test('sets the role at each sign-in', async () => {
    await using service = await open({ rules })
    await service.join(service.firstCode, 'first@example.org')
    assert.equal((await signIn(service, owning)).account.role, 'owner')
    assert.equal((await signIn(service, ada)).account.role, 'member')
    assert.equal((await signIn(service, owning)).account.role, 'owner')
  })

  test('never removes the last owner who can sign in', async () => {
    await using service = await open({ rules })
    assert.equal((await signIn(service, owning, { body: { code: service.firstCode } })).account.role, 'owner')
    assert.equal((await signIn(service, ada)).account.role, 'owner')
  })

  test('that is lost rejects a person and ends the sessions', async () => {
    await using service = await open({ rules })
    const { jar } = await signIn(service, ada)
    assert.equal((await signIn(service, { ...ada, groups: [] })).location, fault('group'))
    assert.equal((await service.send('GET', '/console/api/session', { cookie: jar.header() })).json().account, null)
  })
})

describe('a provider that is down', () => {
  test('leaves passwords working, is reported, and is used again once it is up', async () => {
    await using service = await open()
    await service.provider.setUp(false)
    const { answer } = await begin(service)
    assert.equal(answer.statusCode, 503)
    assert.match(answer.json().error.message, /does not answer/)
    await service.join(service.firstCode, 'ada@example.org')
    const body = { email: 'ada@example.org', password: 'a poet of science' }
    assert.equal((await service.send('POST', '/console/api/session', { body })).statusCode, 200)
    await service.provider.setUp(true)
    await service.clock.advance(2000)
    assert.equal((await signIn(service, { ...ada, email: 'bob@example.org' })).location, '/console/chat')
  })

  test('is logged once a minute, however often requests without a session trigger it', async () => {
    await using service = await open()
    await service.provider.setUp(false)
    for (let time = 0; time < 20; time++) {
      assert.equal((await begin(service)).answer.statusCode, 503)
      await service.clock.advance(2500)
    }
    assert.equal(service.faults.length, 1)
    const [reported] = service.faults
    assert.ok(typeof reported === 'string')
    assert.match(reported, /^The organisation's provider does not answer: .+$/)
    assert.ok(!reported.includes('\n'))
    await service.clock.advance(60_000)
    await begin(service)
    assert.equal(service.faults.length, 2)
  })

  test('between redirect and return is named on the sign-in page', async () => {
    await using service = await open()
    service.provider.person = ada
    const { jar, address } = await begin(service)
    const returned = await visitProvider(address)
    await service.provider.setUp(false)
    assert.equal(await comeBack(service, jar, returned), fault('unreachable'))
  })

  test('is not requested for every one of many sign-ins', async () => {
    await using service = await open()
    await Promise.all(Array.from({ length: 20 }, () => begin(service)))
    assert.equal(service.provider.count('/.well-known/openid-configuration'), 1)
  })
})

describe('with passwords switched off', () => {
  test('neither sign-in nor invitation accepts one', async () => {
    await using service = await open({ local: false })
    const { ways } = (await service.send('GET', '/console/api/session')).json()
    assert.deepEqual(ways, { password: false, passkey: false, organisation: 'Example' })
    const body = { email: 'ada@example.org', password: 'a poet of science' }
    assert.equal((await service.send('POST', '/console/api/session', { body })).statusCode, 403)
    const signUp = { ...body, name: 'Ada', code: service.firstCode }
    assert.equal((await service.send('POST', '/console/api/sign-up', { body: signUp })).statusCode, 403)
  })
})
