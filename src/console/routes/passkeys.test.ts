import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import { CookieJar } from '../../../test/support/sign-in/cookie-jar.ts'
import { openPasskeyConsole as open, password } from '../../../test/support/sign-in/passkey-console.ts'
import { SoftwareAuthenticator } from '../../../test/support/sign-in/software-authenticator.ts'

const options = { signal: new AbortController().signal }

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
