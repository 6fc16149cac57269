import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startConsoleService } from '../../../test/support/console-service.ts'
import type { People } from '../contract/people.ts'

const threeDaysMs = 3 * 24 * 60 * 60 * 1000

async function openPeople() {
  const service = await startConsoleService()
  const owner = await service.join(service.firstCode, 'ada@example.org')
  const ask = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    service.send(method, `/console/api/${path}`, { cookie: owner, ...(body && { body }) })
  const people = async (): Promise<People> => (await ask('GET', 'people')).json()
  const invite = async (body: object): Promise<string> => (await ask('POST', 'invitations', body)).json().code
  const { join } = service
  const member = async () => {
    const cookie = await join(await invite({ role: 'member' }), 'bob@example.org')
    const { account } = (await service.send('GET', '/console/api/session', { cookie })).json()
    return { cookie, id: String(account.id) }
  }
  return { ...service, owner, ask, people, invite, member }
}

describe('an invitation', () => {
  test('is valid for three days, and is not listed after that', async () => {
    const { invite, people, clock, send } = await openPeople()
    const code = await invite({ role: 'member' })
    const look = async () => (await send('POST', '/console/api/invitation', { body: { code } })).statusCode
    await clock.advance(threeDaysMs - 1)
    assert.deepEqual([await look(), (await people()).invitations.length], [200, 1])
    await clock.advance(1)
    assert.deepEqual([await look(), (await people()).invitations.length], [404, 0])
  })

  test('that is withdrawn cannot be used, and is withdrawn only once', async () => {
    const { invite, people, ask, send } = await openPeople()
    const code = await invite({ role: 'owner' })
    const hash = (await people()).invitations[0]?.hash
    assert.equal((await ask('DELETE', `invitations/${hash}`)).statusCode, 204)
    assert.equal((await ask('DELETE', `invitations/${hash}`)).statusCode, 404)
    assert.equal((await send('POST', '/console/api/invitation', { body: { code } })).statusCode, 404)
  })

  test('keeps a note about whom it is for', async () => {
    const { invite, people, ask } = await openPeople()
    await invite({ role: 'member', note: 'Bob from accounting' })
    await invite({ role: 'member' })
    assert.deepEqual((await people()).invitations.map(({ note }) => note).toSorted(), ['Bob from accounting', null])
    for (const note of ['', ' ', 'two\nlines', 'x'.repeat(101)])
      assert.equal((await ask('POST', 'invitations', { role: 'member', note })).statusCode, 422, JSON.stringify(note))
  })

  test('never shows its code a second time', async () => {
    const { invite, ask } = await openPeople()
    const code = await invite({ role: 'member' })
    assert.equal((await ask('GET', 'people')).body.includes(code), false)
  })

  test('for an account resets its sign-in, and ends its sessions', async () => {
    const { invite, member, join, people, send } = await openPeople()
    const bob = await member()
    const cookie = await join(await invite({ role: 'member', accountId: bob.id }), 'robert@example.org')
    assert.equal((await people()).accounts.length, 2)
    assert.equal((await send('GET', '/console/api/session', { cookie })).json().account.id, bob.id)
    assert.equal((await send('GET', '/console/api/session', { cookie: bob.cookie })).json().account, null)
  })

  test('for a missing account is rejected', async () => {
    const { ask } = await openPeople()
    assert.equal((await ask('POST', 'invitations', { role: 'member', accountId: 'nobody' })).statusCode, 404)
    assert.equal((await ask('POST', 'invitations', { role: 'king' })).statusCode, 422)
  })
})

describe('an account', () => {
  test('that becomes an owner has owner rights at once, and loses them as a member', async () => {
    const { member, ask, send } = await openPeople()
    const bob = await member()
    const status = async () => (await send('GET', '/console/api/people', { cookie: bob.cookie })).statusCode
    assert.equal(await status(), 403)
    await ask('PATCH', `accounts/${bob.id}`, { role: 'owner' })
    assert.equal(await status(), 200)
    await ask('PATCH', `accounts/${bob.id}`, { role: 'member' })
    assert.equal(await status(), 403)
  })

  test('that was locked and unlocked must sign in again: its old session has ended', async () => {
    const { member, ask, send } = await openPeople()
    const bob = await member()
    await ask('PATCH', `accounts/${bob.id}`, { disabled: true })
    await ask('PATCH', `accounts/${bob.id}`, { disabled: false })
    assert.equal((await send('GET', '/console/api/tokens', { cookie: bob.cookie })).statusCode, 401)
    const body = { email: 'bob@example.org', password: 'a poet of science' }
    assert.equal((await send('POST', '/console/api/session', { body })).statusCode, 200)
  })

  test('is deleted by name, is no longer listed, and cannot sign in', async () => {
    const { member, ask, people, send, ownerId } = await openPeople()
    const bob = await member()
    const remove = (id: string, body: object) => ask('POST', `accounts/${id}/deletion`, body)
    const wrong = await remove(bob.id, { name: 'Bob' })
    assert.deepEqual([wrong.statusCode, wrong.json().error.param], [422, 'name'])
    assert.equal((await remove(ownerId, { name: 'Ada' })).statusCode, 422)
    assert.equal(
      (await send('POST', `/console/api/accounts/${ownerId}/deletion`, { cookie: bob.cookie, body: { name: 'Ada' } })).statusCode,
      403,
    )
    assert.equal((await remove(bob.id, { name: 'Ada' })).statusCode, 202)
    assert.deepEqual(
      (await people()).accounts.map(({ id }) => id),
      [ownerId],
    )
    assert.equal((await send('GET', '/console/api/tokens', { cookie: bob.cookie })).statusCode, 401)
    const [entry] = (await ask('GET', 'audit')).json().entries
    assert.deepEqual([entry.action, entry.accountId, entry.subject], ['account-deleted', ownerId, bob.id])
  })

  test('is deleted by its user with name and password, unless it is the only owner', async () => {
    const { member, ask, send, ownerId, store } = await openPeople()
    const bob = await member()
    const leave = (body: object) => send('POST', '/console/api/account/deletion', { cookie: bob.cookie, body })
    assert.equal((await leave({ name: 'Ada' })).json().error.param, 'password')
    assert.equal((await leave({ name: 'Bob', password: 'a poet of science' })).json().error.param, 'name')
    assert.equal((await leave({ name: 'Ada', password: 'a poet of science' })).statusCode, 202)
    assert.equal((await send('GET', '/console/api/tokens', { cookie: bob.cookie })).statusCode, 401)
    const last = await ask('POST', 'account/deletion', { name: 'Ada', password: 'a poet of science' })
    assert.match(last.json().error.message, /only owner/)
    assert.equal((await store.accounts.find(ownerId, { signal: new AbortController().signal }))?.disabledAt, null)
  })

  test('that does not exist cannot be changed, and unknown fields and values are rejected', async () => {
    const { ask, ownerId } = await openPeople()
    assert.equal((await ask('PATCH', 'accounts/nobody', { role: 'owner' })).statusCode, 404)
    for (const body of [{ role: 'king' }, { disabled: 'yes' }, { name: 'Eve' }])
      assert.equal((await ask('PATCH', `accounts/${ownerId}`, body)).statusCode, 422, JSON.stringify(body))
  })
})
