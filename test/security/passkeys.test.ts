import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CookieJar } from '../support/sign-in/cookie-jar.ts'
import { openPasskeyConsole as open, password, site } from '../support/sign-in/passkey-console.ts'
import { SoftwareAuthenticator } from '../support/sign-in/software-authenticator.ts'

const options = { signal: new AbortController().signal }

suite('passkeys', () => {
  for (const [what, more] of [
    ['made for another site', { rpID: 'sepia.evil.example' }],
    ['made on a page of another site', { origin: 'https://sepia.evil.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
    ['by a key that asked for neither touch nor PIN', { verified: false }],
    ['by a key that names somebody else', { userHandle: 'somebody else' }],
  ] as const)
    test(`a signature ${what} is rejected`, async () => {
      const { owner, register, signIn, refused } = await open()
      const key = new SoftwareAuthenticator()
      await register(owner, key)
      assert.equal((await signIn(key, more)).answer.statusCode, 401)
      assert.equal(refused.length, 1)
    })

  for (const [what, more] of [
    ['for another site', { rpID: 'sepia.evil.example' }],
    ['on a page of another site', { origin: 'https://sepia.evil.example' }],
    ['with another challenge', { challenge: 'AAAA' }],
    ['without a touch or a PIN', { verified: false }],
  ] as const)
    test(`a passkey created ${what} is rejected`, async () => {
      const { owner, register } = await open()
      assert.equal((await register(owner, new SoftwareAuthenticator(), more)).statusCode, 422)
    })

  test('a copied key is detected by its counter, and a key without a counter signs in repeatedly', async () => {
    const { owner, register, signIn } = await open()
    const [counting, silent] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()]
    await register(owner, counting)
    await register(owner, silent)
    assert.equal((await signIn(counting, { counter: 5 })).answer.statusCode, 200)
    for (const counter of [5, 4, 0]) assert.equal((await signIn(counting, { counter })).answer.statusCode, 401)
    assert.equal((await signIn(counting, { counter: 6 })).answer.statusCode, 200)
    for (let time = 0; time < 2; time++) assert.equal((await signIn(silent, { counter: 0 })).answer.statusCode, 200)
  })

  test('a signature works once, in the browser that requested it, for five minutes, bound to its cookie', async () => {
    const { owner, register, challengeOf, post, clock } = await open()
    const key = new SoftwareAuthenticator()
    await register(owner, key)
    const jar = new CookieJar()
    const challenge = await challengeOf(jar)
    const proof = key.prove({ ...site, challenge })
    const copies = [new CookieJar(), new CookieJar()]
    for (const copy of copies) copy.take(jar.header())
    const answers = await Promise.all([jar, ...copies].map((each) => post(each, 'session/passkey', proof)))
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 422, 422])
    const other = new CookieJar()
    await challengeOf(other)
    const stolen = new CookieJar()
    assert.equal((await post(stolen, 'session/passkey', key.prove({ ...site, challenge }))).statusCode, 422)
    assert.equal((await post(other, 'session/passkey', key.prove({ ...site, challenge }))).statusCode, 401)
    const late = new CookieJar()
    const lateChallenge = await challengeOf(late)
    await clock.advance(5 * 60 * 1000)
    assert.equal((await post(late, 'session/passkey', key.prove({ ...site, challenge: lateChallenge }))).statusCode, 422)
  })

  test('a challenge to sign in registers nothing, nor does one of another person', async () => {
    const { owner, challengeOf, post, join, send } = await open()
    const key = new SoftwareAuthenticator()
    const challenge = await challengeOf(owner)
    assert.equal((await post(owner, 'passkeys', { name: 'x', credential: key.register({ ...site, challenge }) })).statusCode, 422)
    const requested = await post(owner, 'passkeys/options', { password })
    const { code } = (await send('POST', '/console/api/invitations', { cookie: owner.header(), body: { role: 'member' } })).json()
    const bob = new CookieJar()
    bob.take(await join(code, 'bob@example.org'))
    bob.take(`__Host-sepia_passkey=${owner.get('__Host-sepia_passkey')}`)
    const credential = key.register({ ...site, challenge: requested.json().options.challenge })
    assert.equal((await post(bob, 'passkeys', { name: 'x', credential })).statusCode, 422)
  })

  test('a key belongs to one person, needs more than a session to add, and does not open a disabled account', async () => {
    const { owner, register, signIn, post, join, send, store, ownerId } = await open()
    const key = new SoftwareAuthenticator()
    await register(owner, key)
    const { code } = (await send('POST', '/console/api/invitations', { cookie: owner.header(), body: { role: 'member' } })).json()
    const bob = new CookieJar()
    bob.take(await join(code, 'bob@example.org'))
    assert.equal((await register(bob, key)).statusCode, 422)
    assert.equal((await post(bob, 'passkeys/options', { password: 'a guess at random' })).statusCode, 422)
    const [adas] = (await send('GET', '/console/api/sign-in-ways', { cookie: owner.header() })).json().passkeys
    assert.equal((await send('DELETE', `/console/api/passkeys/${adas.id}`, { cookie: bob.header() })).statusCode, 404)
    await store.accounts.change(ownerId, { by: null, disabledAt: 1 }, options)
    assert.equal((await signIn(key)).answer.statusCode, 401)
  })
})
