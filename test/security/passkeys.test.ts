import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ConsoleService, startConsoleService } from '../support/console-service.ts'
import { CookieJar } from '../support/sign-in/cookie-jar.ts'
import { type AuthenticatorAnswer, SoftwareAuthenticator } from '../support/sign-in/software-authenticator.ts'

const publicUrl = 'https://sepia.example'
const site = { origin: publicUrl, rpID: 'sepia.example' }
const password = 'a poet of science'
const options = { signal: new AbortController().signal }

type Answer = Awaited<ReturnType<ConsoleService['send']>>

async function open() {
  const service = await startConsoleService({ publicUrl })
  const owner = new CookieJar()
  owner.take(await service.join(service.firstCode, 'ada@example.org'))
  const post = async (jar: CookieJar, path: string, body: object): Promise<Answer> => {
    const answer = await service.send('POST', `/console/api/${path}`, { body, cookie: jar.header() })
    jar.take(answer.headers['set-cookie'])
    return answer
  }
  const register = async (jar: CookieJar, key: SoftwareAuthenticator, more: Partial<AuthenticatorAnswer> = {}, name = 'blue stick') => {
    const requested = await post(jar, 'passkeys/options', { password })
    const { challenge } = requested.json().options
    return post(jar, 'passkeys', { name, credential: key.register({ ...site, challenge, ...more }) })
  }
  const challengeOf = async (jar: CookieJar): Promise<string> => (await post(jar, 'session/passkey/options', {})).json().options.challenge
  const signIn = async (key: SoftwareAuthenticator, more: Partial<AuthenticatorAnswer> = {}) => {
    const jar = new CookieJar()
    const challenge = await challengeOf(jar)
    return { jar, answer: await post(jar, 'session/passkey', key.prove({ ...site, challenge, counter: 1, ...more })) }
  }
  return { ...service, owner, post, register, challengeOf, signIn }
}

suite('passkeys', () => {
  test('a registered passkey is enough to sign in, and its last use is stored', async () => {
    const { owner, register, signIn, ownerId, send, store } = await open()
    const [key, second] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()]
    assert.equal((await register(owner, key)).statusCode, 204)
    assert.equal((await register(owner, second, {}, 'this laptop')).statusCode, 204)
    const { answer, jar } = await signIn(key, { userHandle: ownerId })
    assert.equal(answer.json().account.id, ownerId)
    const ways = (await send('GET', '/console/api/sign-in-ways', { cookie: jar.header() })).json()
    assert.deepEqual(
      ways.passkeys.map(({ name, lastUsedAt }: { name: string; lastUsedAt: number | null }) => [name, lastUsedAt !== null]).sort(),
      [
        ['blue stick', true],
        ['this laptop', false],
      ],
    )
    const [entry] = await store.audit.list({ before: null, limit: 1 }, options)
    assert.deepEqual([entry?.action, entry?.detail], ['signed-in', 'with the passkey blue stick'])
    const blue = ways.passkeys.find(({ name }: { name: string }) => name === 'blue stick')
    assert.equal((await send('DELETE', `/console/api/passkeys/${blue.id}`, { cookie: jar.header() })).statusCode, 204)
    assert.equal((await signIn(key, { counter: 2 })).answer.statusCode, 401)
    assert.equal((await signIn(second)).answer.statusCode, 200)
  })

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

  test('invalid passkeys are rejected by their fields', async () => {
    const { owner, post, challengeOf } = await open()
    const jar = new CookieJar()
    await challengeOf(jar)
    const proof = { id: 'a', clientDataJSON: 'a', authenticatorData: 'a', signature: 'a' }
    assert.equal((await post(jar, 'session/passkey', proof)).statusCode, 401)
    for (const body of [
      {},
      { ...proof, id: '' },
      { ...proof, id: 'ä' },
      { ...proof, signature: 'x'.repeat(5000) },
      { ...proof, more: 1 },
      [],
    ])
      assert.equal((await post(jar, 'session/passkey', body)).statusCode, 422)
    await post(owner, 'passkeys/options', { password })
    for (const attestationObject of ['a', 'oWNmbXRkbm9uZQ', 'x'.repeat(5000)])
      assert.equal(
        (await post(owner, 'passkeys', { name: 'x', credential: { id: 'a', clientDataJSON: 'a', attestationObject } })).statusCode,
        422,
      )
  })

  test('are offered only in browsers that support them', async () => {
    for (const [url, offered] of [
      ['https://sepia.example', true],
      ['http://localhost:8080', true],
      ['http://sepia.example', false],
      ['https://192.0.2.1', false],
      ['https://[2001:db8::1]', false],
    ] as const) {
      const service = await startConsoleService({ publicUrl: url })
      const { ways } = (await service.send('GET', '/console/api/session')).json()
      assert.equal(ways.passkey, offered, url)
      const answer = await service.send('POST', '/console/api/session/passkey/options', { body: {} })
      assert.equal(answer.statusCode === 200, offered, url)
    }
  })
})
