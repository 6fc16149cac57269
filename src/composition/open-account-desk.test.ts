import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { UsageError } from '../cli/failures.ts'
import { loadConfig } from '../config/load-config.ts'
import { openAccountDesk } from './open-account-desk.ts'
import { openStore } from './open-store.ts'
import { createSystemClock } from './system-clock.ts'

const options = { signal: new AbortController().signal }

for (const [name, where] of [
  ['database-url', 's3-url'],
  ['s3-url', 'database-url'],
] as const)
  test(`accounts are not opened with ${name} alone`, async () => {
    const machine = { cores: 1, memoryBytes: 1e9, terminal: false, folder: '/nowhere' }
    const address = name === 's3-url' ? 'https://key:secret@s3.example/bucket' : 'postgres://db.example/sepia'
    const loaded = await loadConfig({ flags: { data: '/nowhere', [name]: address }, environment: {} }, machine)
    assert.ok('config' in loaded)
    await assert.rejects(openAccountDesk(loaded.config, {}), (error) => error instanceof UsageError && error.faults[0]?.where === where)
  })

test("changes at the command line appear once in the audit log, as the operator's", async () => {
  await using folder = await createTemporaryFolder()
  const machine = { cores: 1, memoryBytes: 1e9, terminal: false, folder: folder.path }
  const loaded = await loadConfig({ flags: { data: folder.path }, environment: {} }, machine)
  assert.ok('config' in loaded)
  const { config } = loaded
  {
    const made: string[] = []
    await using desk = await openAccountDesk(config, { onCreate: (dataFolder) => void made.push(dataFolder) })
    await using _again = await openAccountDesk(config, { onCreate: (dataFolder) => void made.push(dataFolder) })
    assert.deepEqual(made, [folder.path])
    const { id } = await desk.createAccount({ name: 'Eve', role: 'member' }, options)
    const { token } = await desk.createToken({ accountId: id, name: 't', scopes: ['read'], lifetimeMs: null }, options)
    for (const _ of [1, 2]) await desk.limitToken(token, { imagesPerDay: 5 }, options)
    for (const _ of [1, 2]) await desk.revokeToken(token, options)
    await desk.makeSignInLink(id, options)
    {
      await using beside = await openStore(config, { clock: createSystemClock(), mode: 'tool' })
      const invitations = await beside.accounts.listInvitations(options)
      assert.deepEqual(
        invitations.map(({ invitedBy }) => invitedBy),
        [null],
      )
    }
    await desk.deleteBodies(id, options)
    for (const _ of [1, 2]) await desk.changeAccount(id, { disabled: true }, options)
    await assert.rejects(desk.makeSignInLink(id, options))
  }
  await using store = await openStore(config, { clock: createSystemClock(), mode: 'tool' })
  const entries = await store.audit.list({ before: null, limit: 10 }, options)
  assert.deepEqual(
    entries.map(({ action, accountId, address }) => [action, accountId, address]),
    ['account-changed', 'link-made', 'token-revoked', 'token-limited', 'token-created', 'account-created'].map((action) => [
      action,
      null,
      null,
    ]),
  )
})
