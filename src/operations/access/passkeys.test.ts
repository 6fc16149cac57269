import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock, type TestClock } from '../../../test/support/test-clock.ts'
import { addPasskey, findPasskey, listPasskeys, takeChallenge, usePasskey } from './passkeys.ts'

const options = { signal: new AbortController().signal }
const open = (clock: TestClock) => createMemoryStore({ clock, limits: { maxPending: 1 } })
const passkeyOf = (accountId: string, credentialId: string) => ({
  accountId,
  credentialId,
  name: 'blue stick',
  publicKey: Uint8Array.of(1, 2, 3),
  counter: 0,
})

test('an account has at most 20 passkeys, and a passkey belongs to one account', async () => {
  const clock = createTestClock()
  await using store = open(clock)
  for (let at = 0; at < 20; at++) await addPasskey(store, passkeyOf('ada', `key ${at}`), options)
  await assert.rejects(addPasskey(store, passkeyOf('ada', 'one more'), options), { code: 'validation_error', message: /has 20 passkeys/ })
  await assert.rejects(addPasskey(store, passkeyOf('bob', 'key 0'), options), { code: 'validation_error', message: /already registered/ })
  assert.equal((await listPasskeys(store, 'ada', options)).length, 20)
  assert.deepEqual(await listPasskeys(store, 'bob', options), [])
  assert.equal(await findPasskey(store, 'one more', options), null)
})

test('of two uses at the same time one is recorded', async () => {
  const clock = createTestClock()
  await using store = open(clock)
  await addPasskey(store, passkeyOf('ada', 'key'), options)
  const read = await findPasskey(store, 'key', options)
  assert.ok(read)
  await clock.advance(1000)
  assert.equal(await usePasskey(store, read, 7, options), true)
  assert.equal(await usePasskey(store, read, 7, options), false)
  const used = await findPasskey(store, 'key', options)
  assert.deepEqual(used, { ...read, counter: 7, lastUsedAt: clock.now(), version: used?.version })
  assert.deepEqual(used?.publicKey, Uint8Array.of(1, 2, 3))
})

test('a challenge is taken once, by one account', async () => {
  await using store = open(createTestClock())
  const taken = ['ada', 'bob'].map((accountId) => takeChallenge(store, { challenge: 'abc', accountId, lifetimeMs: 1000 }, options))
  assert.deepEqual((await Promise.all(taken)).sort(), [false, true])
})
