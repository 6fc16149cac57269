import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { authenticatorAddress } from './authenticator-address.ts'
import { readHostCookie, writeHostCookie } from './host-cookie.ts'
import { readKnownBrowser, writeKnownBrowser } from './known-browser.ts'
import { readClaims } from './openid/read-claims.ts'
import { flowMs, openFlow, type SignInFlow, sealFlow } from './openid/sign-in-flow.ts'
import { passkeySite } from './passkeys/passkey-site.ts'
import { sealValue, unsealValue } from './sealed-value.ts'

const serviceKey = randomBytes(32)
const seal = { serviceKey, purpose: 'test' }

suite('values sealed in cookies', () => {
  for (const value of [null, 0, '', 'ü🙂', [], { a: [1, { b: null }] }, 'x'.repeat(3000)])
    test(`opens ${JSON.stringify(value).slice(0, 20)} unchanged`, () => assert.deepEqual(unsealValue(sealValue(value, seal), seal), value))

  test('are different each time, and do not show their contents', () => {
    const seals = Array.from({ length: 8 }, () => sealValue('a secret of some length', seal))
    assert.equal(new Set(seals).size, seals.length)
    for (const sealed of seals) {
      assert.match(sealed, /^[\w-]+$/)
      assert.ok(!Buffer.from(sealed, 'base64url').toString('latin1').includes('secret'))
    }
  })

  test('do not open if any byte is changed, removed or added', () => {
    const bytes = Buffer.from(sealValue({ a: 1 }, seal), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.equal(unsealValue(changed.toString('base64url'), seal), null, `byte ${at}`)
      assert.equal(unsealValue(bytes.subarray(0, at).toString('base64url'), seal), null, `cut at ${at}`)
    }
    assert.equal(unsealValue(Buffer.concat([bytes, Buffer.from([0])]).toString('base64url'), seal), null)
    for (const strange of ['', 'x', '%%%', 'ü'.repeat(100)]) assert.equal(unsealValue(strange, seal), null)
  })

  test('do not open with another key or purpose', () => {
    const sealed = sealValue('a', seal)
    assert.equal(unsealValue(sealed, { ...seal, purpose: 'other' }), null)
    assert.equal(unsealValue(sealed, { ...seal, serviceKey: randomBytes(32) }), null)
  })
})

suite('the cookie of a sign-in at a provider', () => {
  const flow: SignInFlow = { state: 's', nonce: 'n', verifier: 'v', begunAt: 1_000_000, page: '/', code: null, linkTo: 'a' }

  for (const [name, now, opens] of [
    ['at once', flow.begunAt, true],
    ['just in time', flow.begunAt + flowMs - 1, true],
    ['too late', flow.begunAt + flowMs, false],
    ['by a clock that is a little behind', flow.begunAt - 1000, true],
    ['long before it was started', flow.begunAt - flowMs, false],
  ] as const)
    test(`opens ${name}: ${opens}`, () => assert.deepEqual(openFlow(sealFlow(flow, serviceKey), serviceKey, now), opens ? flow : null))

  test('opens only with its own key, and only if its fields are valid', () => {
    assert.equal(openFlow(sealFlow(flow, serviceKey), randomBytes(32), flow.begunAt), null)
    for (const broken of [
      { ...flow, state: 5 },
      { ...flow, begunAt: '1' },
      { ...flow, page: 'x'.repeat(201) },
      { ...flow, nonce: undefined },
      null,
    ])
      assert.equal(openFlow(sealFlow(broken as SignInFlow, serviceKey), serviceKey, flow.begunAt), null)
    assert.equal(openFlow(sealValue(flow, { serviceKey, purpose: 'passkey challenge' }), serviceKey, flow.begunAt), null)
  })
})

suite('cookies of the console', () => {
  test('are bound to the host and to HTTPS if there is HTTPS', () => {
    const secure = writeHostCookie('sepia', 'v', { publicUrl: 'https://a.example', maxAgeMs: 60_500 })
    assert.equal(secure, '__Host-sepia=v; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure')
    const plain = writeHostCookie('sepia', '', { publicUrl: 'http://localhost:8080', maxAgeMs: 0, lax: true })
    assert.equal(plain, 'sepia=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax')
  })

  for (const [cookie, publicUrl, value] of [
    ['a=1; __Host-sepia=v; b=2', 'https://a.example', 'v'],
    ['sepia=v', 'https://a.example', null],
    ['sepia=v', 'http://a.example', 'v'],
    ['xsepia=w;sepia=v=w', 'http://a.example', 'v=w'],
    ['sepia=', 'http://a.example', ''],
    ['sepia', 'http://a.example', null],
    [undefined, 'http://a.example', null],
  ] as const)
    test(`${cookie} at ${publicUrl} is ${JSON.stringify(value)}`, () => {
      assert.equal(readHostCookie('sepia', cookie === undefined ? {} : { cookie }, publicUrl), value)
    })

  test('identify a browser only for the account and password that it signed in with', () => {
    const secret = { accountId: 'a', passwordHash: 'scrypt:1' }
    const [pair = ''] = writeKnownBrowser(secret, 'https://a.example').split(';')
    const known = (cookie: string, other: Partial<typeof secret> = {}) =>
      readKnownBrowser({ cookie }, { ...secret, ...other }, 'https://a.example')
    const id = known(pair)
    assert.match(id ?? '', /^[\w-]{20,}$/)
    assert.equal(known(pair, { accountId: 'b' }), null)
    assert.equal(known(pair, { passwordHash: 'scrypt:2' }), null)
    for (const broken of [pair.slice(0, -2), pair.replace(id ?? '', `${id}x`), '__Host-sepia_known=', '__Host-sepia_known=a.b.c', ''])
      assert.equal(known(broken), null)
  })
})

suite('claims of a provider', () => {
  const claims = (fields: object) => readClaims({ iss: 'https://p', sub: 's', ...fields }, { groupsClaim: 'groups' })

  for (const [fields, expected] of [
    [{ name: ' Ada\u0000 Lovelace\u202e ' }, { name: 'Ada Lovelace', verifiedEmail: null, groups: [] }],
    [
      { preferred_username: 'ada', name: '' },
      { name: 'ada', verifiedEmail: null, groups: [] },
    ],
    [
      { email: 'ada@a.example', email_verified: true },
      { name: 'ada@a.example', verifiedEmail: 'ada@a.example', groups: [] },
    ],
    [
      { email: 'ada@a.example', email_verified: 'true', name: 'x'.repeat(101) },
      { name: 'Somebody', verifiedEmail: null, groups: [] },
    ],
    [{ email: 'ada@a.example' }, { name: 'Somebody', verifiedEmail: null, groups: [] }],
    [
      { email: 'a b@a.example', email_verified: true },
      { name: 'Somebody', verifiedEmail: null, groups: [] },
    ],
    [
      { email: 5, email_verified: true, name: 5 },
      { name: 'Somebody', verifiedEmail: null, groups: [] },
    ],
    [{ groups: ['a', 5, null, 'b'] }, { name: 'Somebody', verifiedEmail: null, groups: ['a', 'b'] }],
    [{ groups: 'staff' }, { name: 'Somebody', verifiedEmail: null, groups: ['staff'] }],
    [{ groups: { a: true } }, { name: 'Somebody', verifiedEmail: null, groups: [] }],
  ] as const)
    test(`are read from ${JSON.stringify(fields).slice(0, 60)}`, () =>
      assert.deepEqual(claims(fields), { issuer: 'https://p', subject: 's', ...expected }))
})

suite('passkeys and authenticators', () => {
  for (const [publicUrl, local, rpID] of [
    ['https://a.example:8443', true, 'a.example'],
    ['https://a.example', false, null],
    ['http://a.example', true, null],
    ['http://localhost:8080', true, 'localhost'],
    ['http://x.localhost', true, 'x.localhost'],
    ['https://10.0.0.1', true, null],
    ['https://[::1]', true, null],
  ] as const)
    test(`passkeys at ${publicUrl}${local ? '' : ' without local sign-in'} are bound to ${rpID}`, () => {
      const site = passkeySite({ signIn: { local }, addresses: () => ({ publicUrl }) })
      assert.deepEqual(site, rpID === null ? null : { rpID, origin: new URL(publicUrl).origin })
    })

  test('the otpauth address of an authenticator names the user, escaped', () => {
    const address = authenticatorAddress({ email: null, name: 'Ada & Co?' }, 'JBSWY3DP')
    assert.equal(address, 'otpauth://totp/Sepia%3AAda%20%26%20Co%3F?secret=JBSWY3DP&issuer=Sepia&algorithm=SHA1&digits=6&period=30')
    assert.match(authenticatorAddress({ email: 'a@b', name: 'Ada' }, 'X'), /Sepia%3Aa%40b/)
  })
})
