import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { invite } from '../../src/operations/access/invitations.ts'
import { findSecondFactor } from '../../src/operations/access/second-factor.ts'
import { email, openEnrolled, options, password } from '../support/sign-in/second-factor-console.ts'

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
    const link = await invite({ accounts: store.accounts, clock }, { role: 'owner', accountId: ownerId, invitedBy: ownerId }, options)
    const body = { code: link, name: 'Eve', email, password: 'yet another poet' }
    const joined = await send('POST', '/console/api/sign-up', { body })
    assert.deepEqual([joined.statusCode, joined.json()], [201, { account: null, asks: 'sign-in' }])
    assert.equal(joined.headers['set-cookie'], undefined)
    assert.deepEqual((await signInWith({ password: body.password })).json(), { account: null, asks: 'code' })
    assert.equal((await signInWith({ password: body.password, code: codes[1] })).statusCode, 200)
  })
})
