import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { SignInSettings } from '../../src/console/console-dependencies.ts'
import { beginSecondFactor, confirmSecondFactor, findSecondFactor, useSecondFactor } from '../../src/operations/access/second-factor.ts'
import { startConsoleService } from '../support/console-service.ts'
import { CookieJar } from '../support/sign-in/cookie-jar.ts'
import { shownCode, wrongCodes } from '../support/sign-in/shown-code.ts'

const email = 'ada@example.org'
const password = 'a poet of science'
const options = { signal: new AbortController().signal }

async function open(signIn: Partial<SignInSettings> = {}) {
  const service = await startConsoleService({ signIn })
  const signInWith = (more: object = {}, cookie?: string) =>
    service.send('POST', '/console/api/session', { body: { email, password, ...more }, ...(cookie !== undefined && { cookie }) })
  const ask = (path: string, body: object, cookie: string) => service.send('POST', `/console/api/second-factor${path}`, { body, cookie })
  const code = (secret: string) => shownCode(secret, service.clock.now())
  const wrong = (secret: string, guess = 0) => wrongCodes(secret, service.clock.now(), guess + 1)[guess] ?? ''
  const actions = async () => (await service.store.audit.list({ before: null, limit: 50 }, options)).map(({ action }) => action)
  return { ...service, signInWith, ask, code, wrong, actions }
}

/** An owner with a second factor that an app holds. */
async function openEnrolled(signIn: Partial<SignInSettings> = {}) {
  const service = await open(signIn)
  const cookie = await service.join(service.firstCode, email)
  const { secret, address } = (await service.ask('', { password }, cookie)).json()
  const confirmed = await service.ask('/confirmation', { code: service.code(secret) }, cookie)
  assert.equal(confirmed.statusCode, 200)
  const codes: readonly string[] = confirmed.json().recoveryCodes
  await service.clock.advance(60_000)
  return { ...service, cookie, secret: String(secret), address: String(address), codes }
}

suite('second factors', () => {
  test('the password alone opens no session, a valid code does, once', async () => {
    const { signInWith, code, wrong, secret, address, clock } = await openEnrolled()
    assert.match(address, /^otpauth:\/\/totp\/Sepia%3Aada%40example\.org\?secret=[A-Z2-7]{32}&issuer=Sepia&/)
    const requested = await signInWith()
    assert.deepEqual([requested.statusCode, requested.json()], [200, { account: null, asks: 'code' }])
    assert.equal(requested.headers['set-cookie'], undefined)
    assert.equal((await signInWith({ code: wrong(secret) })).statusCode, 401)
    const shown = code(secret)
    const answers = await Promise.all([1, 2, 3].map(() => signInWith({ code: shown })))
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 401, 401])
    await clock.advance(30_000)
    assert.equal((await signInWith({ code: code(secret) })).json().account.email, email)
  })

  test('an answer to a wrong password does not depend on the code', async () => {
    const { signInWith, code, secret } = await openEnrolled()
    const plain = await signInWith({ password: 'another poet of science' })
    const withCode = await signInWith({ password: 'another poet of science', code: code(secret) })
    assert.deepEqual([plain.statusCode, withCode.statusCode], [401, 401])
    assert.equal(plain.json().error.message, withCode.json().error.message)
  })

  test('the password alone does not allow endless guesses of codes, even by starting over', async () => {
    const { signInWith, wrong, secret } = await openEnrolled()
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess++) {
      await signInWith()
      statuses.push((await signInWith({ code: wrong(secret, guess) })).statusCode)
    }
    assert.deepEqual(statuses.slice(0, 5), [401, 401, 401, 401, 401])
    assert.deepEqual(new Set(statuses.slice(5)), new Set([429]))
  })

  test('a stranger with the password locks the person out neither elsewhere nor in a known browser', async () => {
    const { send, code, wrong, secret, clock, signInWith } = await openEnrolled()
    const stranger = (address: string, guess: number) =>
      send('POST', '/console/api/session', { body: { email, password, code: wrong(secret, guess) }, address })
    const cookies = [(await signInWith({ code: code(secret) })).headers['set-cookie'] ?? []].flat()
    const known = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
    for (let guess = 0; guess < 5; guess++) await stranger('198.51.100.7', guess)
    assert.equal((await stranger('198.51.100.7', 30)).statusCode, 429)
    await clock.advance(30_000)
    assert.equal((await signInWith({ code: code(secret) })).statusCode, 200, 'from another place')
    for (let guess = 0; guess < 6; guess++) await signInWith({ code: wrong(secret, guess) })
    await clock.advance(30_000)
    for (let guess = 0; guess < 3; guess++) await signInWith({ code: wrong(secret, guess) })
    assert.equal((await signInWith({ code: code(secret) })).statusCode, 429, 'from the same place')
    assert.equal((await signInWith({ code: code(secret) }, known)).statusCode, 200, 'in a known browser')
  })

  test('a recovery code works once, and its use is logged', async () => {
    const { signInWith, codes, actions } = await openEnrolled()
    assert.equal((await signInWith({ code: codes[0] })).statusCode, 200)
    assert.equal((await signInWith({ code: codes[0] })).statusCode, 401)
    assert.ok((await actions()).includes('recovery-code-used'))
  })

  test('setting, renewing or removing a second factor needs the password', async () => {
    const { ask, cookie, store, ownerId, send } = await openEnrolled()
    for (const path of ['', '/recovery-codes', '/removal'])
      assert.equal((await ask(path, { password: 'a guess at random' }, cookie)).statusCode, 422)
    assert.equal((await send('DELETE', `/console/api/accounts/${ownerId}/second-factor`, { cookie })).statusCode, 422)
    assert.notEqual(await findSecondFactor(store, ownerId, options), null)
    assert.equal((await ask('/removal', { password }, cookie)).statusCode, 204)
    assert.equal(await findSecondFactor(store, ownerId, options), null)
  })

  test('a link that sets a new password does not bypass the second factor', async () => {
    const { send, ownerId, store, clock, codes, signInWith } = await openEnrolled()
    const { invite } = await import('../../src/operations/access/invitations.ts')
    const link = await invite({ accounts: store.accounts, clock }, { role: 'owner', accountId: ownerId, invitedBy: ownerId }, options)
    const body = { code: link, name: 'Eve', email, password: 'yet another poet' }
    const joined = await send('POST', '/console/api/sign-up', { body })
    assert.deepEqual([joined.statusCode, joined.json()], [201, { account: null, asks: 'sign-in' }])
    assert.equal(joined.headers['set-cookie'], undefined)
    assert.deepEqual((await signInWith({ password: body.password })).json(), { account: null, asks: 'code' })
    assert.equal((await signInWith({ password: body.password, code: codes[1] })).statusCode, 200)
  })

  test('an owner can remove the second factor of another account, a member cannot', async () => {
    const { send, cookie, join, store, clock } = await openEnrolled()
    const invitation = await send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })
    const member = await join(invitation.json().code, 'bob@example.org')
    const bob = (await send('GET', '/console/api/session', { cookie: member })).json().account.id
    const deps = { documents: store.documents, clock }
    const secret = await beginSecondFactor(deps, bob, options)
    await confirmSecondFactor(deps, { accountId: bob, code: shownCode(secret, clock.now()) }, options)
    const people = (await send('GET', '/console/api/people', { cookie })).json()
    assert.equal(people.secondFactors.length, 2)
    assert.equal((await send('DELETE', `/console/api/accounts/${people.accounts[0].id}/second-factor`, { cookie: member })).statusCode, 403)
    assert.equal((await send('DELETE', `/console/api/accounts/${bob}/second-factor`, { cookie })).statusCode, 204)
    assert.equal((await send('DELETE', `/console/api/accounts/${bob}/second-factor`, { cookie })).statusCode, 404)
    await clock.advance(60_000)
    assert.equal(await useSecondFactor(deps, { accountId: bob, code: shownCode(secret, clock.now()) }, options), null)
  })

  test('owners who need a second factor set it up before signing in, with the last secret only', async () => {
    const { send, firstCode, signInWith, code, ask, actions, clock } = await open({ secondFactor: 'owners' })
    const joined = await send('POST', '/console/api/sign-up', { body: { code: firstCode, name: 'Ada', email, password } })
    assert.deepEqual(joined.json(), { account: null, asks: 'sign-in' })
    const first = (await signInWith()).json()
    const second = (await signInWith()).json()
    assert.deepEqual([first.account, first.asks], [null, 'enrolment'])
    assert.equal((await signInWith({ code: code(first.secret) })).statusCode, 401)
    const jar = new CookieJar()
    const answer = await signInWith({ code: code(second.secret) })
    jar.take(answer.headers['set-cookie'])
    assert.equal(answer.json().recoveryCodes.length, 10)
    assert.ok((await actions()).includes('second-factor-set'))
    assert.equal((await ask('/removal', { password }, jar.header())).statusCode, 403)
    const invitation = await send('POST', '/console/api/invitations', { cookie: jar.header(), body: { role: 'member' } })
    const body = { code: invitation.json().code, name: 'Bob', email: 'bob@example.org', password: 'a builder of bridges' }
    assert.equal((await send('POST', '/console/api/sign-up', { body })).json().account.role, 'member')
    await clock.advance(60_000)
    assert.deepEqual((await signInWith()).json(), { account: null, asks: 'code' })
  })
})
