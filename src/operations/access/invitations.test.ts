import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { createAccount } from './accounts.ts'
import { findInvitation, invite, redeemInvitation } from './invitations.ts'

const options = { signal: new AbortController().signal }
const signIn = { name: 'Ada', email: 'ada@example.org', passwordHash: 'hash' }

for (const [what, failing] of [
  ['account', /(into|update|ignore) accounts/],
  ['end of the sessions', /from sessions/],
] as const)
  for (const whose of ['a new account', 'an existing account'])
    test(`an invitation to ${whose} is valid until the ${what} is stored`, async () => {
      let isFull = false
      const beforeWrite = (sql: string) => {
        if (isFull && failing.test(sql)) throw new Error('The disk is full.')
      }
      await using store = createMemoryStore({ clock: createTestClock(), limits: { maxPending: 1 }, beforeWrite })
      const existing = whose === 'a new account' ? null : await createAccount(store, { name: 'Somebody', role: 'member' }, options)
      const code = await invite(store, { role: 'member', accountId: existing?.id ?? null, invitedBy: null }, options)
      const redeem = async () => redeemInvitation(store, { invitation: await findInvitation(store, code, options), signIn }, options)
      isFull = true
      await assert.rejects(redeem(), /The disk is full/)
      assert.deepEqual(await store.accounts.list(options), existing === null ? [] : [existing])
      isFull = false
      const account = await redeem()
      assert.deepEqual(await store.accounts.list(options), [account])
      assert.deepEqual(await store.accounts.findByEmail(signIn.email, options), { account, passwordHash: 'hash' })
      await assert.rejects(redeem(), { code: 'not_found' })
    })
