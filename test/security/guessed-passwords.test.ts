import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { invite } from '../../src/operations/access/invitations.ts'
import { type ConsoleService, startConsoleService } from '../support/console-service.ts'

const email = 'ada@example.org'
const password = 'a poet of science'

function signIn({ send }: ConsoleService, text: string, cookie?: string): Promise<Awaited<ReturnType<ConsoleService['send']>>> {
  return send('POST', '/console/api/session', { body: { email, password: text }, ...(cookie !== undefined && { cookie }) })
}

/** The cookies that a browser keeps of an answer. */
function cookiesOf(answer: Awaited<ReturnType<ConsoleService['send']>>): string {
  return [answer.headers['set-cookie'] ?? []]
    .flat()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

suite('guessed passwords', () => {
  test('concurrent guesses count like sequential ones', async () => {
    const service = await startConsoleService()
    await service.join(service.firstCode, email)
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(service, 'a guess at random')))
    const statuses = answers.map(({ statusCode }) => statusCode)
    assert.equal(statuses.filter((status) => status === 401).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 7)
  })

  test('guesses of others do not lock a person out of a browser used before', async () => {
    const service = await startConsoleService()
    await service.join(service.firstCode, email)
    const known = cookiesOf(await signIn(service, password))
    for (let guess = 0; guess < 60; guess++) {
      await signIn(service, 'a guess at random')
      await service.clock.advance(5000)
    }
    assert.equal((await signIn(service, password)).statusCode, 429)
    assert.equal((await signIn(service, password, known)).statusCode, 200)
  })

  test('a known browser has limited guesses, none at other accounts, and loses its status with a new password', async () => {
    const service = await startConsoleService()
    const owner = await service.join(service.firstCode, email)
    const known = cookiesOf(await signIn(service, password))
    for (let guess = 0; guess < 10; guess++) assert.equal((await signIn(service, 'a guess at random', known)).statusCode, 401)
    assert.equal((await signIn(service, password, known)).statusCode, 429)
    await service.clock.advance(5000)
    const body = { name: 'Ada', email, currentPassword: password, newPassword: 'another poet of science' }
    assert.equal((await service.send('PATCH', '/console/api/account', { cookie: owner, body })).statusCode, 200)
    for (let guess = 0; guess < 5; guess++) await signIn(service, 'a guess at random', known)
    assert.equal((await signIn(service, 'another poet of science', known)).statusCode, 429)
  })

  test('wrong one-time codes slow down further ones, but not a right one', async () => {
    const service = await startConsoleService()
    const open = (code: string) => service.send('POST', '/console/api/invitation', { body: { code } })
    const statuses: number[] = []
    for (let guess = 0; guess < 25; guess++) statuses.push((await open(`wrong ${guess}`)).statusCode)
    assert.deepEqual([statuses[0], statuses.at(-1)], [404, 429])
    assert.equal((await open(service.firstCode)).statusCode, 200)
  })

  test('each rejected sign-in and code is logged with its address', async () => {
    const service = await startConsoleService()
    await signIn(service, 'a guess at random')
    await service.send('POST', '/console/api/invitation', { body: { code: 'wrong' } })
    assert.deepEqual(service.refused, ['127.0.0.1', '127.0.0.1'])
  })

  test("spaces, patterns and the account's own e-mail are rejected as passwords", async () => {
    const { send, firstCode } = await startConsoleService()
    for (const weak of ['          ', 'aaaaaaaaaa', email, 'ada@Example.org']) {
      const answer = await send('POST', '/console/api/sign-up', { body: { code: firstCode, name: 'Ada', email, password: weak } })
      assert.deepEqual([answer.statusCode, answer.json().detail?.[0]?.loc?.at(-1)], [422, 'password'], JSON.stringify(weak))
    }
  })

  test('a new password revokes tokens only on request', async () => {
    const service = await startConsoleService()
    let cookie = await service.join(service.firstCode, email)
    const make = { name: 'laptop', scopes: ['read'] }
    const revoked = async () => {
      const { tokens } = (await service.send('GET', '/console/api/tokens', { cookie })).json()
      return tokens.filter(({ revokedAt }: { readonly revokedAt: number | null }) => revokedAt !== null).length
    }
    await service.send('POST', '/console/api/tokens', { cookie, body: make })
    const change = async (body: object) => {
      const answer = await service.send('PATCH', '/console/api/account', { cookie, body: { name: 'Ada', email, ...body } })
      assert.equal(answer.statusCode, 200)
      cookie = cookiesOf(answer)
    }
    await change({ currentPassword: password, newPassword: 'another poet of science' })
    assert.equal(await revoked(), 0)
    await change({ currentPassword: 'another poet of science', newPassword: password, revokeTokens: true })
    assert.equal(await revoked(), 1)
  })

  test('a sign-in that began with the old password does not outlive the change of the password', async () => {
    const service = await startConsoleService()
    const cookie = await service.join(service.firstCode, email)
    const { accounts } = service.store
    const find = accounts.findByEmail.bind(accounts)
    accounts.findByEmail = async (...given) => {
      const found = await find(...given)
      accounts.findByEmail = find
      const body = { name: 'Ada', email, currentPassword: password, newPassword: 'another poet of science' }
      assert.equal((await service.send('PATCH', '/console/api/account', { cookie, body })).statusCode, 200)
      return found
    }
    assert.equal((await signIn(service, password)).statusCode, 401)
    assert.equal((await accounts.listSessions(service.ownerId, { signal: new AbortController().signal })).length, 1)
  })

  test('of two changes of a password with the old one, the first counts', async () => {
    const service = await startConsoleService()
    const cookie = await service.join(service.firstCode, email)
    const change = (newPassword: string) =>
      service.send('PATCH', '/console/api/account', { cookie, body: { name: 'Ada', email, currentPassword: password, newPassword } })
    const { accounts } = service.store
    const find = accounts.findByEmail.bind(accounts)
    accounts.findByEmail = async (...given) => {
      const found = await find(...given)
      accounts.findByEmail = find
      assert.equal((await change('another poet of science')).statusCode, 200)
      return found
    }
    const late = await change('a thief of poems and keys')
    assert.deepEqual([late.statusCode, late.json().detail?.[0]?.loc?.at(-1)], [422, 'currentPassword'])
    assert.equal((await signIn(service, 'another poet of science')).statusCode, 200)
  })

  test('a password that is changed meanwhile ends a change of the account and a sign-up without a session', async () => {
    const service = await startConsoleService()
    const { accounts } = service.store
    const options = { signal: new AbortController().signal }
    const create = accounts.createSession.bind(accounts)
    const changeMeanwhile = () => {
      accounts.createSession = async (...given) => {
        accounts.createSession = create
        await accounts.setSignIn(service.ownerId, { name: 'Ada', email, passwordHash: 'of another browser' }, options)
        return create(...given)
      }
    }
    const cookie = await service.join(service.firstCode, email)
    changeMeanwhile()
    const body = { name: 'Ada', email, currentPassword: password, newPassword: 'another poet of science' }
    assert.equal((await service.send('PATCH', '/console/api/account', { cookie, body })).statusCode, 401)
    const code = await invite(service.store, { role: 'owner', accountId: service.ownerId, invitedBy: null }, options)
    changeMeanwhile()
    const joined = await service.send('POST', '/console/api/sign-up', { body: { code, name: 'Ada', email, password } })
    assert.deepEqual([joined.statusCode, await accounts.listSessions(service.ownerId, options)], [401, []])
  })
})
