import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CookieJar } from '../../../test/support/sign-in/cookie-jar.ts'
import { email, openSecondFactors as open, openEnrolled, options, password } from '../../../test/support/sign-in/second-factor-console.ts'
import { shownCode } from '../../../test/support/sign-in/shown-code.ts'
import { beginSecondFactor, confirmSecondFactor, useSecondFactor } from '../../operations/access/second-factor.ts'

suite('second factors', () => {
  test('a recovery code works once, and its use is logged', async () => {
    const { signInWith, codes, actions } = await openEnrolled()
    assert.equal((await signInWith({ code: codes[0] })).statusCode, 200)
    assert.equal((await signInWith({ code: codes[0] })).statusCode, 401)
    assert.ok((await actions()).includes('recovery-code-used'))
  })

  test('new recovery codes replace the earlier ones', async () => {
    const { ask, cookie, codes, signInWith, actions } = await openEnrolled()
    const renewed = await ask('/recovery-codes', { password }, cookie)
    const { recoveryCodes } = renewed.json()
    assert.deepEqual([renewed.statusCode, recoveryCodes.length], [200, 10])
    assert.ok((await actions()).includes('recovery-codes-renewed'))
    assert.equal((await signInWith({ code: codes[0] })).statusCode, 401)
    assert.equal((await signInWith({ code: recoveryCodes[0] })).statusCode, 200)
  })

  test('a wrong code confirms nothing, and nothing is removed that is not set', async () => {
    const { join, firstCode, ask, wrong, signInWith } = await open()
    const cookie = await join(firstCode, email)
    assert.equal((await ask('/removal', { password }, cookie)).statusCode, 404)
    const { secret } = (await ask('', { password }, cookie)).json()
    const refused = await ask('/confirmation', { code: wrong(secret) }, cookie)
    assert.deepEqual([refused.statusCode, refused.json().error.param], [422, 'code'])
    assert.equal((await signInWith()).json().account.email, email)
  })

  test('an owner can remove the second factor of another account, a member cannot', async () => {
    const { send, cookie, join, store, clock } = await openEnrolled()
    const invitation = await send('POST', '/console/api/invitations', { cookie, body: { role: 'member' } })
    const member = await join(invitation.json().code, 'bob@example.org')
    const bob = (await send('GET', '/console/api/session', { cookie: member })).json().account.id
    const deps = { documents: store.documents, clock }
    const secret = await beginSecondFactor(deps, bob, options)
    await confirmSecondFactor(deps, { accountId: bob, code: shownCode(secret, clock.now()) }, options)
    const people = (await send('GET', '/console/api/people', { cookie })).json()
    assert.equal(people.secondFactors.length, 2)
    assert.equal((await send('DELETE', `/console/api/accounts/${people.accounts[0].id}/second-factor`, { cookie: member })).statusCode, 403)
    assert.equal((await send('DELETE', `/console/api/accounts/${bob}/second-factor`, { cookie })).statusCode, 204)
    assert.equal((await send('DELETE', `/console/api/accounts/${bob}/second-factor`, { cookie })).statusCode, 404)
    await clock.advance(60_000)
    assert.equal(await useSecondFactor(deps, { accountId: bob, code: shownCode(secret, clock.now()) }, options), null)
  })

  test('owners who need a second factor set it up before signing in, with the last secret only', async () => {
    const { send, firstCode, signInWith, code, ask, actions, clock } = await open({ secondFactor: 'owners' })
    const joined = await send('POST', '/console/api/sign-up', { body: { code: firstCode, name: 'Ada', email, password } })
    assert.deepEqual(joined.json(), { account: null, asks: 'sign-in' })
    const first = (await signInWith()).json()
    const second = (await signInWith()).json()
    assert.deepEqual([first.account, first.asks], [null, 'enrolment'])
    assert.equal((await signInWith({ code: code(first.secret) })).statusCode, 401)
    const jar = new CookieJar()
    const answer = await signInWith({ code: code(second.secret) })
    jar.take(answer.headers['set-cookie'])
    assert.equal(answer.json().recoveryCodes.length, 10)
    assert.ok((await actions()).includes('second-factor-set'))
    assert.equal((await ask('/removal', { password }, jar.header())).statusCode, 403)
    const invitation = await send('POST', '/console/api/invitations', { cookie: jar.header(), body: { role: 'member' } })
    const body = { code: invitation.json().code, name: 'Bob', email: 'bob@example.org', password: 'a builder of bridges' }
    assert.equal((await send('POST', '/console/api/sign-up', { body })).json().account.role, 'member')
    await clock.advance(60_000)
    assert.deepEqual((await signInWith()).json(), { account: null, asks: 'code' })
  })
})
