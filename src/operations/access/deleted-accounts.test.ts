import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryOutputs } from '../../../test/support/memory/create-memory-outputs.ts'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { createAccount } from './accounts.ts'
import { deleteAccount, eraseDeletedAccounts, listDeletedAccounts } from './deleted-accounts.ts'

const options = { signal: new AbortController().signal }

/** A service with the account of Ada, who is signed in; statements that match `failing` fail. */
async function open(role: 'owner' | 'member' = 'member') {
  const clock = createTestClock()
  const failing: RegExp[] = []
  const beforeWrite = (sql: string) => {
    if (failing.some((pattern) => pattern.test(sql))) throw new Error('The disk is full.')
  }
  const store = createMemoryStore({ clock, limits: { maxPending: 1 }, beforeWrite })
  const { id } = await createAccount(store, { name: 'Ada', role }, options)
  await store.accounts.setSignIn(id, { name: 'Ada', email: 'ada@example.org', passwordHash: 'x' }, options)
  const times = { createdAt: clock.now(), expiresAt: clock.now() + 1_000_000, lastUsedAt: null }
  await store.accounts.createSession({ hash: 'h', accountId: id, address: null, agent: null, ...times }, options)
  const deps = { ...store, clock, outputs: createMemoryOutputs({ clock }) }
  return {
    id,
    deps,
    failing,
    deleteIt: () => deleteAccount(deps, { accountId: id, by: null, name: 'Ada' }, options),
    erase: () => eraseDeletedAccounts(deps, options),
    minute: () => clock.jump(clock.now() + 60_000),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

for (const step of [/ documents/, /accounts set/])
  test(`a person whose deletion failed before writing ${step} is still signed in and can repeat it`, async () => {
    await using service = await open()
    const { id, deps, failing, deleteIt, erase } = service
    failing.push(step)
    await assert.rejects(deleteIt(), /The disk is full/)
    await erase()
    assert.equal((await deps.accounts.listSessions(id, options)).length, 1)
    failing.length = 0
    await deleteIt()
    assert.deepEqual(await deps.accounts.listSessions(id, options), [])
    await assert.rejects(deleteIt(), { code: 'not_found' })
    await erase()
    assert.equal(await deps.accounts.find(id, options), null)
  })

test('a deletion that stopped after its note is finished by the service', async () => {
  await using service = await open()
  const { id, deps, failing, deleteIt, erase, minute } = service
  failing.push(/accounts set/)
  await assert.rejects(deleteIt(), /The disk is full/)
  failing.length = 0
  minute()
  await erase()
  assert.notEqual((await deps.accounts.find(id, options))?.disabledAt, null)
  await erase()
  assert.equal(await deps.accounts.find(id, options), null)
})

test('a deletion that stopped after its note is dropped if it would delete the last owner', async () => {
  await using service = await open('owner')
  const { id, deps, failing, deleteIt, erase, minute } = service
  failing.push(/accounts set/)
  await assert.rejects(deleteIt(), /The disk is full/)
  failing.length = 0
  for (let round = 0; round < 2; round++) {
    minute()
    await erase()
  }
  assert.equal((await deps.accounts.find(id, options))?.disabledAt, null)
  assert.deepEqual([...(await listDeletedAccounts(deps, options))], [])
})
