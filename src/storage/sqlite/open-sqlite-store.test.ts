import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { claimNext, release, succeed, sweep, tryClaim } from '../../../test/conformance/claiming.ts'
import { makeImageRequest } from '../../../test/support/image-request.ts'
import { makeSubmission } from '../../../test/support/submission.ts'
import { createTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import { noLimits, noUseLimits } from '../../core/limits/use-limits.ts'
import { readInteger, readText } from '../rows/row.ts'
import { Connection } from './connection.ts'
import { keepWriteAheadLog, walLimitBytes } from './open-database.ts'
import { openSqliteStore, type SqliteStoreSettings } from './open-sqlite-store.ts'
import { takeOwnerLock } from './owner-lock.ts'
import { migrations } from './schema/migrations.ts'

const options = { signal: new AbortController().signal }

async function createFolder() {
  const folder = await createTemporaryFolder()
  const file = `${folder.path}/sepia.db`
  const open = (mode: SqliteStoreSettings['mode'] = 'service', clock = createTestClock()) =>
    openSqliteStore({ file, clock, limits: { maxPending: 1000 }, mode })
  return { file, open, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

/** Starts a process that owns the folder and has claimed one inference. */
async function startOwner(file: string) {
  const child = fork(new URL('../../../test/support/hold-folder.ts', import.meta.url), [file], { execArgv: [] })
  const [message] = await once(child, 'message')
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  }
  return { pid: child.pid, claimed: (message as { readonly claimed: string | null }).claimed, kill, [Symbol.asyncDispose]: kill }
}

test('other users cannot read a new database', { skip: process.platform === 'win32' && 'Windows has other rights' }, async () => {
  await using folder = await createTemporaryFolder()
  const file = join(folder.path, 'data', 'sepia.db')
  await using _store = await openSqliteStore({ file, clock: createTestClock(), limits: { maxPending: 1 }, mode: 'service' })
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)
  assert.deepEqual(await Promise.all([dirname(file), file, `${file}-wal`, `${file}-shm`].map(modeOf)), ['700', '600', '600', '600'])
})

test('acknowledged work survives a restart', async () => {
  await using folder = await createFolder()
  const ids: string[] = []
  {
    await using store = await folder.open()
    const results = await Promise.all(Array.from({ length: 50 }, () => store.queue.enqueue(makeSubmission(), options)))
    ids.push(...results.map(({ inference }) => inference.id))
  }
  await using store = await folder.open()
  for (const id of ids) assert.equal((await store.log.find(id, 'a', options))?.status, 'pending')
})

test('a second service on the folder is refused by the name of the first; a tool is not', async () => {
  await using folder = await createFolder()
  await (await folder.open())[Symbol.asyncDispose]()
  await using owner = await startOwner(folder.file)
  await assert.rejects(folder.open(), new RegExp(`in use by process ${owner.pid} \\(started `))
  await using tool = await folder.open('tool')
  await tool.tokens.create(
    {
      id: 't',
      accountId: 'a',
      name: 'n',
      hash: 'h',
      hint: 'x',
      scopes: [],
      createdAt: 1,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      limits: noUseLimits,
    },
    options,
  )
})

test('a service sees the writes of a tool at once', async () => {
  await using folder = await createFolder()
  await using service = await folder.open()
  await using tool = await folder.open('tool')
  const token = {
    id: 't',
    accountId: 'a',
    name: 'n',
    hash: 'h',
    hint: 'x',
    scopes: ['text'],
    createdAt: 1,
    expiresAt: null,
    revokedAt: null,
    lastUsedAt: null,
    limits: noUseLimits,
  } as const
  await service.tokens.create(token, options)
  await tool.tokens.revoke({ id: 't', accountId: 'a' }, 5, options)
  assert.equal((await service.tokens.findByHash('h', options))?.revokedAt, 5)
})

test('work of a killed service can be claimed as soon as the next one has opened', async () => {
  await using folder = await createFolder()
  {
    await using store = await folder.open()
    await store.queue.enqueue(makeSubmission(), options)
  }
  for (const attempt of [1, 2, 3]) {
    await using owner = await startOwner(folder.file)
    assert.notEqual(owner.claimed, null, `attempt ${attempt}`)
    await owner.kill()
  }
  await using store = await folder.open()
  const { inferences } = await store.log.list({ accountId: 'a', status: null, limit: 10, after: null }, options)
  assert.deepEqual(
    inferences.map(({ outcome, error, attempt }) => [outcome, error?.code, attempt]),
    [['failed', 'inference_failed', 3]],
  )
  await store.queue.enqueue(makeSubmission(), options)
  assert.equal((await claimNext(store.queue)).attempt, 1)
})

test('delayed work is claimed even if the clock was set back meanwhile', async () => {
  await using folder = await createFolder()
  const clock = createTestClock()
  await using store = await folder.open('service', clock)
  await store.queue.enqueue(makeSubmission(), options)
  await sweep(store.queue, { maxQueueMs: 60_000 })
  await release(store.queue, await claimNext(store.queue), 10_000)
  clock.jump(clock.now() - 1000)
  await sweep(store.queue, { maxQueueMs: 60_000 })
  assert.equal(await tryClaim(store.queue), null)
  clock.jump(clock.now() - 60 * 60_000)
  await sweep(store.queue, { maxQueueMs: 60_000 })
  assert.notEqual(await tryClaim(store.queue), null)
})

test('a webhook is sent in time even if the clock was set back meanwhile', async () => {
  await using folder = await createFolder()
  const clock = createTestClock()
  await using store = await folder.open('service', clock)
  await store.queue.enqueue(makeSubmission({ webhookUrl: 'https://receiver.example/' }), options)
  await succeed(store.queue, await claimNext(store.queue))
  const due = async () => (await store.webhooks.due({ limit: 1, perAccount: 1 }, options))[0]
  const nextAttemptAt = clock.now() + 5000
  await store.webhooks.record((await due())?.id ?? '', { state: 'waiting', nextAttemptAt, result: '503' }, options)
  await sweep(store.queue, { maxQueueMs: 60_000 })
  clock.jump(clock.now() - 60 * 60_000)
  await sweep(store.queue, { maxQueueMs: 60_000 })
  await clock.advance(4999)
  assert.equal(await due(), undefined)
  await clock.advance(1)
  assert.notEqual(await due(), undefined)
})

test('a completed inference cannot be changed, not even by a statement that forgets the fence', async () => {
  await using folder = await createFolder()
  await using store = await folder.open()
  await store.queue.enqueue(makeSubmission(), options)
  const claim = await claimNext(store.queue)
  await succeed(store.queue, claim)
  using connection = new Connection(folder.file)
  for (const change of ["status = 'pending', outcome = null", "output_sha256 = 'other'", 'attempt = 9'])
    assert.throws(() => connection.run(`update inferences set ${change}`), /a completed inference never changes/)
})

test('an error undoes its own command and no other of the same commit', async () => {
  await using folder = await createFolder()
  await using store = await folder.open()
  const account = { id: 'a', name: 'A', email: null, role: 'owner', createdAt: 1, disabledAt: null, limits: noLimits } as const
  const results = await Promise.allSettled([
    store.accounts.create(account, options),
    store.accounts.create(account, options),
    store.queue.enqueue(makeSubmission(), options),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('the counts of the queue agree with its rows after every kind of move', async () => {
  await using folder = await createFolder()
  await using store = await folder.open()
  const submit = () => Promise.all(['a', 'a', 'b'].map((accountId) => store.queue.enqueue(makeSubmission({ accountId }), options)))
  const [first] = await submit()
  await submit()
  await store.queue.cancel({ id: first?.inference.id ?? '', accountId: 'a' }, options)
  await succeed(store.queue, await claimNext(store.queue))
  await release(store.queue, await claimNext(store.queue))
  await claimNext(store.queue)
  using connection = new Connection(folder.file, { readOnly: true })
  const counted = connection.all("select account_id, count(*) as pending from inferences where status = 'pending' group by account_id")
  const kept = connection.all('select account_id, pending from queue_shares where pending > 0 order by account_id')
  assert.deepEqual(
    kept.map((row) => [readText(row, 'account_id'), readInteger(row, 'pending')]),
    counted.map((row) => [readText(row, 'account_id'), readInteger(row, 'pending')]),
  )
  for (let left = 3; left > 0; left--) assert.notEqual(await tryClaim(store.queue), null)
  assert.equal(await tryClaim(store.queue), null)
})

test('a database that other users could read is made private', { skip: process.platform === 'win32' }, async () => {
  await using folder = await createFolder()
  await (await folder.open())[Symbol.asyncDispose]()
  await chmod(folder.file, 0o644)
  await using _store = await folder.open()
  const modes = [folder.file, `${folder.file}-wal`].map(async (path) => ((await stat(path)).mode & 0o777).toString(8))
  assert.deepEqual(await Promise.all(modes), ['600', '600'])
})

test('deleted data does not remain in the file', async () => {
  await using folder = await createFolder()
  const secret = 'a-link-that-nobody-may-find-again'
  {
    await using store = await folder.open()
    const invitation = { hash: secret, role: 'owner', accountId: null, invitedBy: null, note: null, createdAt: 1, expiresAt: 9 } as const
    await store.accounts.createInvitation(invitation, options)
    await store.accounts.takeInvitation(secret, options)
  }
  assert.ok(!(await readFile(folder.file)).includes(secret))
})

test('an entry of the audit log cannot be changed or deleted, not even by a statement of ours', async () => {
  await using folder = await createFolder()
  await using store = await folder.open()
  const entry = { at: 1, action: 'signed-in', accountId: 'a', address: null, subject: null, detail: null } as const
  await store.audit.append(entry, options)
  using connection = new Connection(folder.file)
  assert.throws(() => connection.script("update audit_entries set account_id = 'b'"), /never changes/)
  assert.throws(() => connection.script('delete from audit_entries'), /never goes/)
  assert.equal((await store.audit.list({ before: null, limit: 9 }, options)).length, 1)
})

test('after closing, every call is refused', async () => {
  await using folder = await createFolder()
  const store = await folder.open()
  await store[Symbol.asyncDispose]()
  await assert.rejects(store.queue.enqueue(makeSubmission(), options), /closed/)
})

test('accounts of a database without limits get none', async () => {
  await using folder = await createFolder()
  {
    using connection = new Connection(folder.file)
    connection.script(migrations[0] ?? '')
    connection.script("insert into accounts (id, name, role, created_at) values ('a', 'Ada', 'owner', 1); pragma user_version = 1")
  }
  await using store = await folder.open()
  assert.deepEqual((await store.accounts.find('a', options))?.limits, noLimits)
})

test('the migration ends sessions and invitations of disabled accounts and demoted owners', async () => {
  await using folder = await createFolder()
  {
    using connection = new Connection(folder.file)
    connection.script(migrations.slice(0, 2).join(''))
    connection.script(`
      insert into accounts (id, name, role, created_at, disabled_at)
        values ('owner', 'O', 'owner', 1, null), ('locked', 'L', 'owner', 1, 5), ('demoted', 'D', 'member', 1, null);
      insert into sessions select id, id, 1, 9 from accounts;
      insert into invitations select 'by ' || id, 'owner', null, id, 1, 9 from accounts;
      insert into invitations select 'into ' || id, 'member', id, id, 1, 9 from accounts;
      pragma user_version = 2`)
  }
  await using store = await folder.open()
  const invitations = await store.accounts.listInvitations(options)
  assert.deepEqual(invitations.map(({ hash }) => hash).sort(), ['by owner', 'into demoted', 'into owner'])
  assert.deepEqual(new Set(invitations.map(({ note }) => note)), new Set([null]))
  const sessions = await Promise.all(['owner', 'locked', 'demoted'].map((hash) => store.accounts.findSession(hash, options)))
  assert.deepEqual(
    sessions.map((session) => session !== null),
    [true, false, true],
  )
})

test('a database of a newer version is refused', async () => {
  await using folder = await createFolder()
  await (await folder.open())[Symbol.asyncDispose]()
  {
    using connection = new Connection(folder.file)
    connection.script('pragma user_version = 9999')
  }
  await assert.rejects(folder.open(), /newer version/)
})

test('lists by status, queue positions and the expiry of sessions read an index, however many records there are', async () => {
  await using folder = await createFolder()
  await using _store = await folder.open()
  using connection = new Connection(folder.file, { readOnly: true })
  const planOf = (sql: string) =>
    connection
      .all(`explain query plan ${sql}`)
      .map((row) => readText(row, 'detail'))
      .join('; ')
  assert.match(
    planOf("select * from inferences where account_id = 'a' and status = 'completed' order by seq desc limit 10"),
    /^SEARCH inferences USING INDEX inferences_status \(account_id=\? AND status=\?\)$/,
  )
  assert.match(
    planOf("select count(*) from inferences where status = 'pending' and model = 'm' and priority = 1 and account_id = 'a' and seq < 9"),
    /^SEARCH inferences USING COVERING INDEX inferences_pending/,
  )
  assert.match(planOf('delete from sessions where expires_at <= 5'), /^SEARCH sessions USING (?:COVERING )?INDEX sessions_expiry/)
})

test('a tool migrates only if no service runs', async () => {
  await using folder = await createFolder()
  await (await folder.open())[Symbol.asyncDispose]()
  {
    using connection = new Connection(folder.file)
    connection.script(`pragma user_version = ${migrations.length - 1}`)
  }
  {
    using _earlier = await takeOwnerLock(dirname(folder.file))
    await assert.rejects(folder.open('tool'), /earlier version of the service, and process \d+ .* is using it/)
  }
  await using fresh = await createFolder()
  await using tool = await fresh.open('tool')
  assert.deepEqual(await tool.accounts.list(options), [])
  await using _service = await fresh.open()
})

test('a tool without permission to lock the folder reports that, and not another process', async () => {
  await using folder = await createFolder()
  await mkdir(join(dirname(folder.file), 'owner.lock'), { recursive: true })
  await assert.rejects(folder.open('tool'), /owner\.lock cannot be opened by this user, or is a folder; change its permissions/)
})

test('a database that cannot keep a write-ahead log is refused', () => {
  using connection = new Connection(':memory:')
  assert.throws(() => keepWriteAheadLog(connection, '/data/sepia.db'), /\/data\/sepia\.db .*journal mode memory.*local disk/)
})

test('the write-ahead log shrinks again after a reader kept it growing', async () => {
  await using folder = await createFolder()
  await using store = await folder.open()
  const walBytes = async () => (await stat(`${folder.file}-wal`)).size
  const image = new Uint8Array(1_000_000)
  const submit = () =>
    store.queue.enqueue(
      makeSubmission({ work: { kind: 'image', request: makeImageRequest('x', { initial: { image, strength: 1 } }) } }),
      options,
    )
  {
    using reader = new Connection(folder.file, { readOnly: true })
    reader.script('begin')
    reader.get('select * from inferences')
    for (let round = 0; round < 24; round++) await submit()
    assert.ok((await walBytes()) > 20_000_000)
  }
  for (let round = 0; round < 3; round++) await submit()
  assert.ok((await walBytes()) <= walLimitBytes, `${await walBytes()} bytes`)
})
