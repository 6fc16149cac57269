import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type ConsoleService, startConsoleService } from '../../../test/support/console-service.ts'
import { CookieJar } from '../../../test/support/sign-in/cookie-jar.ts'
import type { SignInFault } from '../../core/sign-in/sign-in-fault.ts'

const issuer = 'https://id.example'
const publicUrl = 'https://sepia.example'
const options = { signal: new AbortController().signal }
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A provider that answers as these fields say. */
class ScriptedProvider {
  /** Claims of the next identities, over the sound ones. */
  claims: Readonly<Record<string, unknown>> = {}
  /** Fields of the discovery document, over the sound ones. */
  metadata: Readonly<Record<string, unknown>> = {}
  isUp = true
  readonly requests: { readonly path: string; readonly authorization: string | null; readonly body: URLSearchParams }[] = []
  nonce: string | null = null

  readonly fetch: typeof fetch = async (address, init) => {
    const { pathname: path } = new URL(String(address))
    const body = new URLSearchParams(String(init?.body ?? ''))
    this.requests.push({ path, authorization: new Headers(init?.headers).get('authorization'), body })
    if (!this.isUp) throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
    if (path === '/.well-known/openid-configuration') return Response.json(this.#configuration())
    if (path === '/token')
      return Response.json({ access_token: 'an access token', token_type: 'bearer', expires_in: 60, id_token: this.#identity() })
    return new Response(null, { status: 404 })
  }

  #configuration(): object {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      id_token_signing_alg_values_supported: ['ES256'],
      ...this.metadata,
    }
  }

  #identity(): string {
    const now = Math.floor(Date.now() / 1000)
    const person = { sub: 'ada', name: 'Ada Lovelace', email: 'ada@example.org', email_verified: true }
    const whole = { iss: issuer, aud: 'sepia', iat: now, exp: now + 60, nonce: this.nonce, ...person, ...this.claims }
    // The signature is not checked: the identity comes from the provider itself.
    return `${encode({ alg: 'ES256' })}.${encode(whole)}.${Buffer.alloc(64).toString('base64url')}`
  }
}

async function open({ createAccounts = true }: { createAccounts?: boolean } = {}) {
  const provider = new ScriptedProvider()
  const rules = { createAccounts, emailDomains: [], roles: [] }
  const named = { issuer, clientId: 'sepia', clientSecret: 'a secret', scopes: 'openid email', label: 'Example', groupsClaim: 'groups' }
  const service = await startConsoleService({ publicUrl, signIn: { openId: { ...named, rules, fetch: provider.fetch } } })
  const begin = async (jar: CookieJar, body: object = {}) => {
    const answer = await service.send('POST', '/console/api/sign-in/openid', { body, cookie: jar.header() })
    jar.take(answer.headers['set-cookie'])
    return answer
  }
  const comeBack = async (jar: CookieJar, query: Readonly<Record<string, string>>): Promise<string> => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    const path = `/console/sign-in/callback?${new URLSearchParams(query)}`
    const answer = await service.send('GET', path, { cookie: jar.header(), headers })
    assert.equal(answer.statusCode, 303)
    jar.take(answer.headers['set-cookie'])
    return String(answer.headers.location)
  }
  const signIn = async ({ jar = new CookieJar(), body = {} }: { jar?: CookieJar; body?: object } = {}) => {
    const { address } = (await begin(jar, body)).json()
    const requested = new URL(address).searchParams
    provider.nonce = requested.get('nonce')
    const location = await comeBack(jar, { code: 'a code', state: requested.get('state') ?? '' })
    return { jar, location, requested }
  }
  return { ...service, provider, begin, comeBack, signIn, [Symbol.asyncDispose]: () => service.server.close() }
}

const fault = (name: SignInFault): string => `/console/sign-in?fault=${name}`
const personOf = async ({ send }: ConsoleService, jar: CookieJar) =>
  (await send('GET', '/console/api/session', { cookie: jar.header() })).json().account

suite('a sign-in with the organisation', () => {
  test('opens a session for the identity, and sends the secrets of the flow only to the provider', async () => {
    await using service = await open()
    const { jar, location, requested } = await service.signIn({ body: { page: '/console/gallery' } })
    assert.equal(location, '/console/gallery')
    assert.deepEqual(
      ['redirect_uri', 'scope', 'response_type', 'code_challenge_method'].map((name) => requested.get(name)),
      [`${publicUrl}/console/sign-in/callback`, 'openid email', 'code', 'S256'],
    )
    const exchange = service.provider.requests.find(({ path }) => path === '/token')
    assert.equal(exchange?.authorization, `Basic ${Buffer.from('sepia:a+secret').toString('base64')}`)
    assert.equal(exchange.body.get('code'), 'a code')
    assert.ok((exchange.body.get('code_verifier') ?? '').length >= 43)
    const { name, email, role } = await personOf(service, jar)
    assert.deepEqual([name, email, role], ['Ada Lovelace', 'ada@example.org', 'member'])
    assert.equal(jar.get('__Host-sepia_openid'), undefined)
    const entries = await service.store.audit.list({ before: null, limit: 9 }, options)
    assert.deepEqual(
      entries.map(({ action }) => action),
      ['signed-in', 'identity-linked', 'account-created'],
    )
  })

  test('sends the secret in the form to a provider that takes it nowhere else', async () => {
    await using service = await open()
    service.provider.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    assert.equal((await service.signIn()).location, '/console/chat')
    const exchange = service.provider.requests.find(({ path }) => path === '/token')
    assert.deepEqual([exchange?.authorization, exchange?.body.get('client_secret')], [null, 'a secret'])
  })

  for (const [what, claims] of [
    ['for another client', { aud: 'another' }],
    ['by another issuer', { iss: 'https://elsewhere.example' }],
    ['for another sign-in', { nonce: 'another' }],
    ['that has expired', { iat: 1, exp: 2 }],
    ['without a subject', { sub: undefined }],
    ['that names no time', { exp: undefined }],
  ] as const)
    test(`rejects an identity ${what}, and reports why`, async () => {
      await using service = await open()
      service.provider.claims = claims
      const { jar, location } = await service.signIn()
      assert.equal(location, fault('refused'))
      assert.equal(await personOf(service, jar), null)
      assert.deepEqual([service.refused.length, service.faults.length], [1, 1])
    })

  test('rejects a return that was cancelled, or that no sign-in of this browser began', async () => {
    await using service = await open()
    const jar = new CookieJar()
    const { address } = (await service.begin(jar)).json()
    const state = new URL(address).searchParams.get('state') ?? ''
    assert.equal(await service.comeBack(new CookieJar(), { code: 'a code', state }), fault('expired'))
    assert.equal(await service.comeBack(jar, { error: 'access_denied', state }), fault('cancelled'))
    assert.equal(await service.comeBack(jar, { code: 'a code', state }), fault('expired'))
    assert.equal(service.provider.requests.filter(({ path }) => path === '/token').length, 0)
  })

  test('reports a silent provider once, to the person and in the log', async () => {
    await using service = await open()
    service.provider.isUp = false
    const jar = new CookieJar()
    for (let time = 0; time < 2; time++) {
      const answer = await service.begin(jar)
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [503, '5'])
    }
    assert.equal(service.provider.requests.length, 1)
    assert.deepEqual(service.faults, ["The organisation's provider does not answer: fetch failed: connect ECONNREFUSED"])
    service.provider.isUp = true
    await service.clock.advance(2000)
    const { address } = (await service.begin(jar)).json()
    service.provider.isUp = false
    const state = new URL(address).searchParams.get('state') ?? ''
    assert.equal(await service.comeBack(jar, { code: 'a code', state }), fault('unreachable'))
    assert.equal(service.faults.length, 1)
  })

  test('links the identity to the signed-in account, which can unlink it while it has a password', async () => {
    await using service = await open({ createAccounts: false })
    const jar = new CookieJar()
    assert.equal((await service.begin(jar, { link: true })).statusCode, 401)
    jar.take(await service.join(service.firstCode, 'owner@example.org'))
    const { location } = await service.signIn({ jar, body: { link: true, page: '/console/account' } })
    assert.equal(location, '/console/account')
    const ways = async () => (await service.send('GET', '/console/api/sign-in-ways', { cookie: jar.header() })).json()
    const { identities, organisation, password } = await ways()
    assert.deepEqual([organisation, password], ['Example', true])
    assert.deepEqual(
      identities.map(({ issuer: by, email }: { issuer: string; email: string }) => [by, email]),
      [[issuer, 'ada@example.org']],
    )
    const unlink = () => service.send('DELETE', `/console/api/identities/${identities[0].id}`, { cookie: jar.header() })
    assert.equal((await unlink()).statusCode, 204)
    assert.equal((await unlink()).statusCode, 404)
    assert.equal((await service.signIn()).location, fault('unknown'))
  })

  test('is the last way into an account without a password, which cannot unlink it', async () => {
    await using service = await open()
    const { jar } = await service.signIn()
    const { identities, password } = (await service.send('GET', '/console/api/sign-in-ways', { cookie: jar.header() })).json()
    assert.equal(password, false)
    const answer = await service.send('DELETE', `/console/api/identities/${identities[0].id}`, { cookie: jar.header() })
    assert.equal(answer.statusCode, 422)
    assert.match(answer.json().error.message, /only way into your account/)
  })

  test('is refused from an address where many failed', async () => {
    await using service = await open({ createAccounts: false })
    const locations: string[] = []
    for (let guess = 0; guess < 33; guess++) locations.push((await service.signIn()).location)
    assert.deepEqual([locations[0], locations.at(-1)], [fault('unknown'), fault('busy')])
  })
})
