import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../test/support/console-service.ts'
import { noLimits } from '../core/limits/use-limits.ts'

const password = 'a poet of science'

test('the first-run code creates the owner, once', async () => {
  const { send, join, firstCode, ownerId } = await startConsoleService()
  const look = await send('POST', '/console/api/invitation', { body: { code: firstCode } })
  assert.deepEqual(look.json(), { role: 'owner', firstRun: true, ways: { password: true, passkey: false, organisation: null } })
  const cookie = await join(firstCode, 'ada@example.org')
  const { account, currency } = (await send('GET', '/console/api/session', { cookie })).json()
  assert.equal(currency, 'EUR')
  assert.equal(account.id, ownerId)
  assert.equal(account.email, 'ada@example.org')
  const again = await send('POST', '/console/api/sign-up', { body: { code: firstCode, name: 'Eve', email: 'eve@example.org', password } })
  assert.equal(again.statusCode, 404)
})

test('a weak password and an invalid e-mail are both reported', async () => {
  const { send, firstCode } = await startConsoleService()
  const answer = await send('POST', '/console/api/sign-up', { body: { code: firstCode, name: 'Ada', email: 'ada', password: 'short' } })
  assert.equal(answer.statusCode, 422)
  assert.equal(answer.json().detail.length, 2)
})

test('signing in needs the right password, and failures delay the next attempt', async () => {
  const { send, join, firstCode, clock } = await startConsoleService()
  await join(firstCode, 'ada@example.org')
  const signIn = (text: string) => send('POST', '/console/api/session', { body: { email: 'ADA@example.org', password: text } })
  for (let attempt = 0; attempt < 5; attempt++) assert.equal((await signIn('a guess at random')).statusCode, 401)
  const slowed = await signIn(password)
  assert.equal(slowed.statusCode, 429)
  assert.equal(slowed.headers['retry-after'], '1')
  await clock.advance(1000)
  const right = await signIn(password)
  assert.equal(right.statusCode, 200)
  assert.match(String(right.headers['set-cookie']), /HttpOnly; SameSite=Strict/)
})

test('an unknown e-mail gets the same response as a wrong password', async () => {
  const { send, join, firstCode } = await startConsoleService()
  await join(firstCode, 'ada@example.org')
  const unknown = await send('POST', '/console/api/session', { body: { email: 'eve@example.org', password } })
  const wrong = await send('POST', '/console/api/session', { body: { email: 'ada@example.org', password: 'a guess at random' } })
  assert.equal(unknown.body, wrong.body)
})

test('a session ends when its user signs out, or after two weeks', async () => {
  const { send, join, firstCode, clock } = await startConsoleService()
  const cookie = await join(firstCode, 'ada@example.org')
  const other = await send('POST', '/console/api/session', { body: { email: 'ada@example.org', password } })
  const otherCookie = String(other.headers['set-cookie']).split(';')[0] ?? ''
  await send('DELETE', '/console/api/session', { cookie })
  assert.equal((await send('GET', '/console/api/tokens', { cookie })).statusCode, 401)
  assert.equal((await send('GET', '/console/api/tokens', { cookie: otherCookie })).statusCode, 200)
  await clock.advance(14 * 24 * 60 * 60 * 1000)
  assert.equal((await send('GET', '/console/api/tokens', { cookie: otherCookie })).statusCode, 401)
})

test('a signed-in page may use the public interface; another site may not use it through that browser', async () => {
  const { send, join, firstCode } = await startConsoleService()
  const cookie = await join(firstCode, 'ada@example.org')
  assert.equal((await send('GET', '/v1/models', { cookie })).statusCode, 200)
  const crossSite = await send('GET', '/v1/models', { cookie, headers: { 'sec-fetch-site': 'cross-site' } })
  assert.equal(crossSite.statusCode, 403)
  const rebound = await send('GET', '/v1/models', { cookie, headers: { host: 'evil.example' } })
  assert.equal(rebound.statusCode, 400)
  assert.equal((await send('GET', '/v1/models')).statusCode, 401)
})

test("the pages are served only under the service's own host names, and forbid foreign scripts", async () => {
  const { send } = await startConsoleService()
  assert.equal((await send('GET', '/', { headers: { host: 'evil.example' } })).statusCode, 400)
  const page = await send('GET', '/console/tokens')
  assert.equal(page.statusCode, 200)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'; script-src 'self';/)
})

test('a token is shown once, listed without its hash, revoked, and restored only within a minute', async () => {
  const { send, join, firstCode, clock } = await startConsoleService()
  const cookie = await join(firstCode, 'ada@example.org')
  const made = await send('POST', '/console/api/tokens', { cookie, body: { name: 'report', scopes: ['text'] } })
  assert.match(made.json().text, /^sepia_/)
  const listed = (await send('GET', '/console/api/tokens', { cookie })).json().tokens
  assert.equal(listed.length, 1)
  assert.equal('hash' in listed[0], false)
  const path = `/console/api/tokens/${listed[0].id}`
  assert.equal((await send('DELETE', path, { cookie })).statusCode, 204)
  assert.equal((await send('POST', `${path}/restore`, { cookie })).statusCode, 204)
  await send('DELETE', path, { cookie })
  await clock.advance(61_000)
  assert.equal((await send('POST', `${path}/restore`, { cookie })).statusCode, 404)
})

test('the list of models includes the address for calls if it is different', async () => {
  const originsOf = async (addresses: { imageUrl?: string }) => {
    const { send, join, firstCode } = await startConsoleService(addresses)
    return (await send('GET', '/console/api/models', { cookie: await join(firstCode, 'ada@example.org') })).json().origins
  }
  assert.deepEqual(await originsOf({}), { imageUrl: null, textUrl: null })
  assert.deepEqual(await originsOf({ imageUrl: 'https://image.example' }), { imageUrl: 'https://image.example', textUrl: null })
})

test('an unknown console address gets 404 in JSON', async () => {
  const { send } = await startConsoleService()
  const answer = await send('GET', '/console/api/nothing')
  assert.equal(answer.statusCode, 404)
  assert.equal(answer.json().error.code, 'not_found')
})

test("owners invite members, who cannot see other people's data", async () => {
  const { send, join, firstCode } = await startConsoleService()
  const owner = await join(firstCode, 'ada@example.org')
  const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await join(code, 'bob@example.org')
  for (const path of ['/console/api/people', '/console/api/service', '/console/api/usage?from=2026-01-01&to=2026-01-02&of=everyone'])
    assert.equal((await send('GET', path, { cookie: member })).statusCode, 403)
  const load = await send('POST', '/console/api/models/load', { cookie: member, body: { model: 'fake-chat' } })
  assert.equal(load.statusCode, 403)
  const { accounts, invitations } = (await send('GET', '/console/api/people', { cookie: owner })).json()
  assert.deepEqual([accounts.length, invitations.length], [2, 0])
})

test('owners limit accounts, including their own; null removes a limit, and one left out of the request stays', async () => {
  const { send, join, firstCode, ownerId } = await startConsoleService()
  const owner = await join(firstCode, 'ada@example.org')
  const change = (limits: object) => send('PATCH', `/console/api/accounts/${ownerId}`, { cookie: owner, body: { limits } })
  const limitsNow = async () => (await send('GET', '/console/api/people', { cookie: owner })).json().accounts[0].limits
  assert.equal((await change({ requestsPerMinute: 50, tokensPerDay: 1000, imagesPerDay: 0, tokensPerMonth: 20_000 })).statusCode, 204)
  assert.deepEqual(await limitsNow(), { ...noLimits, requestsPerMinute: 50, tokensPerDay: 1000, imagesPerDay: 0, tokensPerMonth: 20_000 })
  for (const limits of [{ requestsPerMinute: 0 }, { tokensPerDay: -1 }, { imagesPerDay: 1.5 }, { imagesPerDay: '7' }, { pixelsPerDay: 1 }])
    assert.equal((await change(limits)).statusCode, 422, JSON.stringify(limits))
  assert.equal((await change({ requestsPerMinute: 50, tokensPerDay: null })).statusCode, 204)
  assert.deepEqual(await limitsNow(), { ...noLimits, requestsPerMinute: 50, imagesPerDay: 0, tokensPerMonth: 20_000 })
  assert.match((await change({ tokensPerDay: -1 })).json().error.message, /from 0 to 1,?000,?000,?000,?000, or null/)
})

test('reading in the console does not use up the requests of a minute', async () => {
  const { send, join, firstCode, ownerId } = await startConsoleService()
  const cookie = await join(firstCode, 'ada@example.org')
  await send('PATCH', `/console/api/accounts/${ownerId}`, { cookie, body: { limits: { requestsPerMinute: 1 } } })
  const read = async () => (await send('GET', '/v1/models', { cookie })).statusCode
  assert.deepEqual([await read(), await read()], [200, 200])
})

test('a locked account is signed out at once; owners cannot lock themselves', async () => {
  const { send, join, firstCode, ownerId } = await startConsoleService()
  const owner = await join(firstCode, 'ada@example.org')
  const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await join(code, 'bob@example.org')
  const { account } = (await send('GET', '/console/api/session', { cookie: member })).json()
  await send('PATCH', `/console/api/accounts/${account.id}`, { cookie: owner, body: { disabled: true } })
  assert.equal((await send('GET', '/v1/models', { cookie: member })).statusCode, 401)
  const self = await send('PATCH', `/console/api/accounts/${ownerId}`, { cookie: owner, body: { role: 'member' } })
  assert.equal(self.statusCode, 422)
})

test('an e-mail already in use does not use up the invitation', async () => {
  const { send, join, firstCode } = await startConsoleService()
  const owner = await join(firstCode, 'ada@example.org')
  const { code } = (await send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const taken = await send('POST', '/console/api/sign-up', { body: { code, name: 'Bob', email: 'ada@example.org', password } })
  assert.equal(taken.statusCode, 422)
  assert.notEqual(await join(code, 'bob@example.org'), '')
})

test('a new password signs every other browser out', async () => {
  const { send, join, firstCode } = await startConsoleService()
  const cookie = await join(firstCode, 'ada@example.org')
  const body = { name: 'Ada', email: 'ada@example.org', currentPassword: password, newPassword: 'another sentence' }
  const wrong = await send('PATCH', '/console/api/account', { cookie, body: { ...body, currentPassword: 'something else' } })
  assert.equal(wrong.statusCode, 422)
  const renamed = { name: 'Ada Lovelace', email: body.email, currentPassword: password }
  assert.equal((await send('PATCH', '/console/api/account', { cookie, body: renamed })).statusCode, 200)
  assert.equal((await send('GET', '/console/api/tokens', { cookie })).statusCode, 200)
  const changed = await send('PATCH', '/console/api/account', { cookie, body })
  assert.equal(changed.statusCode, 200)
  assert.equal((await send('GET', '/console/api/tokens', { cookie })).statusCode, 401)
  const fresh = String(changed.headers['set-cookie']).split(';')[0] ?? ''
  assert.equal((await send('GET', '/console/api/tokens', { cookie: fresh })).statusCode, 200)
})

test('with HTTPS the cookie has the prefix that binds it to its host', async () => {
  const { join, firstCode } = await startConsoleService({ publicUrl: 'https://sepia.example' })
  assert.match(await join(firstCode, 'ada@example.org'), /^__Host-sepia_session=/)
})
