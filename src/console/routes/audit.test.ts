import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import type { AuditPage } from '../contract/audit.ts'
import type { ListedSession } from '../contract/session.ts'

const password = 'a poet of science'
const options = { signal: new AbortController().signal }

/** A service with a signed-in owner and member. */
async function startWithTwo() {
  const service = await startConsoleService()
  const owner = await service.join(service.firstCode, 'ada@example.org')
  const { code } = (await service.send('POST', '/console/api/invitations', { cookie: owner, body: { role: 'member' } })).json()
  const member = await service.join(code, 'eve@example.org')
  const { account } = (await service.send('GET', '/console/api/session', { cookie: member })).json()
  const read = async (): Promise<AuditPage['entries']> =>
    (await service.send('GET', '/console/api/audit', { cookie: owner })).json().entries
  return { ...service, owner, member, memberId: String(account.id), read }
}

test('the audit log records actor, action, target and address, and contains no secret', async () => {
  const { send, owner, ownerId, memberId, read } = await startWithTwo()
  const made = await send('POST', '/console/api/tokens', { cookie: owner, body: { name: 'laptop', scopes: ['read'] } })
  await send('PATCH', `/console/api/accounts/${memberId}`, { cookie: owner, body: { disabled: true } })
  await send('POST', '/console/api/models/pulls', { cookie: owner, body: { source: 'hf:a/b' } })
  const entries = await read()
  assert.deepEqual(
    entries.map(({ action, accountId }) => [action, accountId]),
    [
      ['model-pulled', ownerId],
      ['account-changed', ownerId],
      ['token-created', ownerId],
      ['joined', memberId],
      ['invitation-made', ownerId],
      ['joined', ownerId],
    ],
  )
  assert.deepEqual([entries[1]?.subject, entries[1]?.detail, entries[1]?.address], [memberId, '{"disabled":true}', '127.0.0.1'])
  assert.ok(!JSON.stringify(entries).includes(made.json().text))
})

test('the audit log names the tokens of all accounts', async () => {
  const { send, owner, member } = await startWithTwo()
  const page = async (): Promise<AuditPage> => (await send('GET', '/console/api/audit', { cookie: owner })).json()
  assert.deepEqual((await page()).tokens, [])
  await send('POST', '/console/api/tokens', { cookie: member, body: { name: 'laptop', scopes: ['read'] } })
  const [{ id }] = (await send('GET', '/console/api/tokens', { cookie: member })).json().tokens
  await send('DELETE', `/console/api/tokens/${id}`, { cookie: member })
  const { entries, tokens } = await page()
  assert.deepEqual(tokens, [{ id, name: 'laptop' }])
  assert.deepEqual(
    entries.slice(0, 2).map(({ action, subject }) => [action, subject]),
    [
      ['token-revoked', id],
      ['token-created', id],
    ],
  )
})

test('rejected actions are not recorded', async () => {
  const { send, member, ownerId, read } = await startWithTwo()
  const before = await read()
  assert.equal((await send('PATCH', `/console/api/accounts/${ownerId}`, { cookie: member, body: { role: 'member' } })).statusCode, 403)
  assert.equal((await send('DELETE', '/console/api/tokens/none', { cookie: member })).statusCode, 404)
  assert.deepEqual(await read(), before)
})

test('requests that change nothing are not recorded', async () => {
  const service = await startConsoleService({ pullModel: () => new Promise(() => {}) })
  const { send, ownerId, store } = service
  const cookie = await service.join(service.firstCode, 'ada@example.org')
  const made = await send('POST', '/console/api/tokens', { cookie, body: { name: 'laptop', scopes: ['read'] } })
  assert.equal(made.statusCode, 201)
  const [{ id: tokenId }] = (await send('GET', '/console/api/tokens', { cookie })).json().tokens
  const { code } = (await send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })).json()
  const member = await service.join(code, 'eve@example.org')
  const { account } = (await send('GET', '/console/api/session', { cookie: member })).json()
  await send('POST', '/console/api/second-factor', { cookie: member, body: { password } })
  const [person, token, models] = [`/console/api/accounts/${account.id}`, `/console/api/tokens/${tokenId}`, '/console/api/models']
  const profile = { name: 'Ada', email: 'ada@example.org', currentPassword: password }
  const limits = { requestsPerMinute: 5 }
  /** Each request with its status; the first of a pair makes the change that the second repeats. */
  const requests = [
    ['DELETE', `${person}/second-factor`, undefined, 404],
    ['PATCH', person, { role: 'member', disabled: false, limits: {} }, 204],
    ['PATCH', person, { disabled: true, limits }, 204, 'account-changed'],
    ['PATCH', person, { disabled: true, limits }, 204],
    ['PUT', `${token}/limits`, { limits }, 204, 'token-limited'],
    ['PUT', `${token}/limits`, { limits }, 204],
    ['DELETE', token, undefined, 204, 'token-revoked'],
    ['DELETE', token, undefined, 204],
    ['PUT', `${person}/request-log`, { keepHours: 24 }, 200, 'request-log-on'],
    ['PUT', `${person}/request-log`, { keepHours: 24 }, 200],
    ['DELETE', `${person}/request-log/bodies`, undefined, 200],
    ['POST', `${models}/load`, { model: 'fake-chat' }, 204],
    ['POST', `${models}/pulls`, { source: 'hf:a/b' }, 202, 'model-pulled'],
    ['POST', `${models}/pulls`, { source: 'hf:a/b' }, 202],
    ['POST', `${models}/pulls/remove`, { source: 'hf:a/b' }, 204, 'model-pull-removed'],
    ['POST', `${models}/pulls/remove`, { source: 'hf:a/b' }, 204],
    ['DELETE', '/console/api/sessions', undefined, 204],
    ['PATCH', '/console/api/account', profile, 200],
    ['POST', `${person}/deletion`, { name: 'Ada' }, 202, 'account-deleted'],
    ['POST', `${person}/deletion`, { name: 'Ada' }, 404],
    // Ends the session.
    ['PATCH', '/console/api/account', { ...profile, revokeTokens: true }, 200],
  ] as const
  for (const [method, path, body, status, action] of requests) {
    const before = await store.audit.list({ before: null, limit: 100 }, options)
    const answer = await send(method, path, { cookie, ...(body && { body }) })
    assert.equal(answer.statusCode, status, `${method} ${path}: ${answer.body}`)
    const after = await store.audit.list({ before: null, limit: 100 }, options)
    const recorded = after.slice(0, after.length - before.length).map((entry) => [entry.action, entry.accountId])
    assert.deepEqual(recorded, action === undefined ? [] : [[action, ownerId]], `${method} ${path}`)
  }
})

test('only owners read it, page by page and as CSV', async () => {
  const { send, owner, member, read } = await startWithTwo()
  assert.equal((await send('GET', '/console/api/audit', { cookie: member })).statusCode, 403)
  assert.equal((await send('GET', '/console/api/audit.csv', { cookie: member })).statusCode, 403)
  for (let turn = 0; turn < 120; turn++) await send('POST', '/console/api/webhooks/rotate', { cookie: owner })
  const first = (await send('GET', '/console/api/audit', { cookie: owner })).json()
  assert.equal(first.entries.length, 100)
  const second = (await send('GET', `/console/api/audit?before=${first.next}`, { cookie: owner })).json()
  assert.equal(second.next, null)
  const total = 100 + second.entries.length
  assert.equal((await read()).length, 100)
  const table = await send('GET', '/console/api/audit.csv', { cookie: owner })
  assert.match(String(table.headers['content-disposition']), /sepia-audit\.csv/)
  assert.equal(table.body.trimEnd().split('\r\n').length, total + 1)
  assert.equal((await send('GET', '/console/api/audit.json', { cookie: member })).statusCode, 403)
  const whole = await send('GET', '/console/api/audit.json', { cookie: owner })
  assert.match(String(whole.headers['content-disposition']), /sepia-audit\.json/)
  const numbers: readonly number[] = whole.json().entries.map(({ number }: { number: number }) => number)
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].toSorted((a, b) => b - a),
  )
  assert.deepEqual([numbers.length, whole.json().entries[0].action], [total, 'webhook-secret-rotated'])
})

test('a user lists and signs out their own browsers, one by one or all others', async () => {
  const { send, member, owner, clock } = await startWithTwo()
  const signIn = async (agent: string) => {
    await clock.advance(1)
    const body = { email: 'eve@example.org', password }
    const answer = await send('POST', '/console/api/session', { body, headers: { 'user-agent': agent } })
    return String(answer.headers['set-cookie']).split(';')[0] ?? ''
  }
  const list = async (cookie: string): Promise<readonly ListedSession[]> =>
    (await send('GET', '/console/api/sessions', { cookie })).json().sessions
  const [phone, laptop] = [await signIn('Phone/1\u0007'), await signIn('Laptop/2')]
  const sessions = await list(laptop)
  assert.deepEqual(
    sessions.map(({ agent, current, address }) => [agent, current, address]),
    [
      ['Laptop/2', true, '127.0.0.1'],
      ['Phone/1', false, '127.0.0.1'],
      ['lightMyRequest', false, '127.0.0.1'],
    ],
  )
  const phoneId = sessions[1]?.id
  assert.equal((await send('DELETE', `/console/api/sessions/${phoneId}`, { cookie: owner })).statusCode, 404)
  assert.equal((await send('DELETE', `/console/api/sessions/${phoneId}`, { cookie: laptop })).statusCode, 204)
  assert.equal((await send('GET', '/console/api/tokens', { cookie: phone })).statusCode, 401)
  assert.equal((await send('DELETE', '/console/api/sessions', { cookie: laptop })).statusCode, 204)
  assert.equal((await send('GET', '/console/api/tokens', { cookie: member })).statusCode, 401)
  assert.equal((await list(laptop)).length, 1)
  assert.equal((await list(owner)).length, 1)
})

test('a session shows when it was last used, to within five minutes', async () => {
  const { send, owner, clock } = await startWithTwo()
  const lastUsed = async (): Promise<number | null> =>
    (await send('GET', '/console/api/sessions', { cookie: owner })).json().sessions[0].lastUsedAt
  const start = clock.now()
  assert.equal(await lastUsed(), start)
  await clock.advance(5 * 60 * 1000 - 1)
  assert.equal(await lastUsed(), start)
  await clock.advance(1)
  assert.equal(await lastUsed(), start + 5 * 60 * 1000)
})
