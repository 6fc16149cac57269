import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import type { AuditPage } from '../contract/audit.ts'
import type { ListedSession } from '../contract/session.ts'

const password = 'a poet of science'

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
  await send('POST', '/console/api/models/load', { cookie: owner, body: { model: 'fake-chat' } })
  const entries = await read()
  assert.deepEqual(
    entries.map(({ action, accountId }) => [action, accountId]),
    [
      ['model-loaded', ownerId],
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
