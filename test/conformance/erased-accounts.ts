import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentKinds } from '../../src/core/document.ts'
import { noLimits, noUseLimits } from '../../src/core/limits/use-limits.ts'
import type { Clock } from '../../src/core/ports/clock.ts'
import type { QueueLimits } from '../../src/core/ports/inference-queue.ts'
import type { OutputStore } from '../../src/core/ports/output-store.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { deleteAccount, eraseDeletedAccounts, listDeletedAccounts } from '../../src/operations/access/deleted-accounts.ts'
import { bodyOwner } from '../../src/operations/account-bytes.ts'
import { createMemoryOutputs } from '../support/memory/create-memory-outputs.ts'
import { makeSubmission } from '../support/submission.ts'
import { createTestClock } from '../support/test-clock.ts'
import { claimNext, release } from './claiming.ts'
import { options, roomy } from './store-factory.ts'

/** A store, and every row of all its tables but the audit log as text, behind the table's name. */
export interface OpenedTables extends AsyncDisposable {
  readonly store: Store
  rows(): Promise<readonly string[]>
}

type TablesFactory = (settings: { readonly clock: Clock; readonly limits: QueueLimits }) => Promise<OpenedTables>

/** Gives an account something in every table and store; whatever is its own has its name in it. */
async function fill(store: Store, outputs: OutputStore, { name, at }: { readonly name: string; readonly at: number }): Promise<void> {
  const { accounts, tokens, documents, queue, requests, usage, ledger, webhooks, counts } = store
  const [accountId, tokenId] = [`id-of-${name}`, `token-of-${name}`]
  const limits = { ...noLimits, tokensPerDay: 1_000_000, concurrentRequests: 100 }
  await accounts.create({ id: accountId, name, email: null, role: 'owner', createdAt: at, disabledAt: null, limits }, options)
  await accounts.setSignIn(accountId, { name, email: `${name}@example.org`, passwordHash: `hash-of-${name}` }, options)
  const times = { createdAt: at, expiresAt: at + 1e9 }
  const invitation = { role: 'member', invitedBy: accountId, note: name, ...times } as const
  await accounts.createSession({ hash: `session-${name}`, accountId, address: name, agent: name, lastUsedAt: at, ...times }, options)
  await accounts.createInvitation({ ...invitation, hash: `invites-${name}`, accountId: null }, options)
  await accounts.createInvitation({ ...invitation, hash: `invited-${name}`, accountId }, options)
  const dates = { createdAt: at, expiresAt: null, revokedAt: null, lastUsedAt: null }
  const token = { id: tokenId, accountId, name, hash: `token-hash-${name}`, hint: 'h', scopes: [], ...dates, limits: noUseLimits }
  await tokens.create({ ...token, limits: { ...noUseLimits, tokensPerDay: 1_000_000 } }, options)
  const store1 = async (owner: string, id: string) => {
    const { key, contentType, bytes, sha256 } = await outputs.put(
      { inferenceId: id, attempt: 1 },
      { contentType: 'x/y', chunks: [Buffer.from(name)] },
      options,
    )
    const file = { key, contentType, bytes, sha256 }
    return { owner, file }
  }
  for (const kind of documentKinds)
    for (const owner of [accountId, bodyOwner(accountId)]) {
      if (kind === 'deleted-account' || kind === 'service-key') continue
      const id = `${kind}-${owner === accountId ? 'own' : 'log'}-${name}`
      const { file } = await store1(owner, id)
      const value = { file, parts: [file], name, bytes: 1, purpose: 'batch' }
      const document = {
        kind,
        id,
        accountId: owner,
        value,
        at,
        label: kind === 'picture' ? 'kept' : null,
        text: name,
        attachedBytes: 1,
        expiresAt: null,
      }
      assert.equal(await documents.put(document, { ...options, most: 1e9 }), 'stored')
    }
  for (const [end, key] of [
    ['succeeds', 'k1'],
    ['waits', 'k2'],
  ] as const) {
    const idempotency = { key: `${key}-${name}`, fingerprint: name }
    const { inference } = await queue.enqueue(
      makeSubmission({ accountId, tokenId, idempotency, webhookUrl: `https://${name}.example/`, outputBytes: 10 }),
      options,
    )
    if (end === 'waits') continue
    const claims = [await claimNext(queue)]
    while (claims.at(-1)?.id !== inference.id) claims.push(await claimNext(queue))
    for (const other of claims.slice(0, -1)) await release(queue, other)
    const claim = { id: inference.id, attempt: 1 }
    const output = await outputs.put({ inferenceId: claim.id, attempt: 1 }, { contentType: 'x/y', chunks: [Buffer.from(name)] }, options)
    const booked = { ...entryOf(accountId, tokenId, at), model: `model-of-${name}` }
    assert.equal(await queue.complete(claim, { completion: { outcome: 'succeeded', output }, usage: booked }, options), 'completed')
  }
  await webhooks.secrets(accountId, options)
  await usage.append({ ...entryOf(accountId, tokenId, at), model: `model-of-${name}` }, options)
  while ((await usage.rollUp(options)) > 0);
  await usage.append(entryOf(accountId, tokenId, at), options)
  const requested = { excerpt: name, call: name }
  await requests.append([{ id: `request-${name}`, accountId, tokenId, kind: 'chat', model: 'm', at, requested, result: null }], options)
  const wish = { unit: 'tokens', running: true, tokens: { least: 1, most: 10 }, promptTokens: 1, images: 0, price: null } as const
  await ledger.reserve({ id: `reserved-${name}`, accountId, tokenId, ...wish }, options)
  for (const subject of [accountId, tokenId, `streams ${accountId}`]) {
    await counts.takeOfMinute({ subject, minute: 1, wanted: 1, limit: 9 }, options)
    await counts.keepPlaces({ subject, places: 1, limit: 9 }, options)
  }
}

function entryOf(accountId: string, tokenId: string, at: number) {
  const facts = { promptTokens: 10, completionTokens: 5, images: 0, cost: 7, durationMs: 100, firstTokenMs: 9, at }
  return { accountId, tokenId, model: 'm', kind: 'chat', outcome: 'succeeded', ...facts } as const
}

/** Deleting accounts with everything of them. */
export function testErasedAccounts(name: string, open: TablesFactory): void {
  const openFilled = async () => {
    const clock = createTestClock(Date.UTC(2026, 0, 2))
    const tables = await open({ clock, limits: roomy })
    const outputs = createMemoryOutputs({ clock })
    for (const each of ['margaret', 'leopold']) await fill(tables.store, outputs, { name: each, at: clock.now() })
    const deps = { ...tables.store, outputs, clock }
    const files = async () => (await Array.fromAsync(outputs.listOld({ olderThan: clock.now() + 1 }, options))).length
    const about = async (who: string) => (await tables.rows()).filter((row) => row.includes(who))
    return { clock, tables, deps, outputs, files, about }
  }

  test(`${name} accounts: erasing an account removes its rows from every table and store, and none of another account`, async () => {
    const { clock, tables, deps, files, about } = await openFilled()
    await using _ = tables
    const [before, filesBefore] = [await about('leopold'), await files()]
    assert.ok((await about('margaret')).length > 20)
    await deleteAccount(deps, { accountId: 'id-of-margaret', by: 'id-of-leopold', name: ' margaret ' }, options)
    assert.deepEqual([...(await listDeletedAccounts(deps, options))], ['id-of-margaret'])
    await eraseDeletedAccounts(deps, options)
    // A request that ended late gets its place in the books after that.
    await deps.usage.append(entryOf('id-of-margaret', 'token-of-margaret', clock.now()), options)
    await clock.advance(10 * 60_000)
    await eraseDeletedAccounts(deps, options)
    assert.deepEqual(await about('margaret'), [])
    assert.deepEqual((await about('leopold')).map(tableOf), before.map(tableOf))
    assert.ok((await files()) >= filesBefore / 2)
    assert.deepEqual([...(await listDeletedAccounts(deps, options))], [])
    await eraseDeletedAccounts(deps, options)
  })

  test(`${name} accounts: files of an erased account are deleted after the rows that name them`, async () => {
    const { tables, deps, outputs, about } = await openFilled()
    await using _ = tables
    await deleteAccount(deps, { accountId: 'id-of-margaret', by: null, name: 'margaret' }, options)
    const named: (readonly string[])[] = []
    const deleting = {
      ...outputs,
      delete: async (keys: readonly string[]) => {
        named.push((await about('margaret')).filter((row) => keys.some((key) => row.includes(key))))
        await outputs.delete(keys, options)
      },
    }
    await eraseDeletedAccounts({ ...deps, outputs: deleting }, options)
    assert.deepEqual(named, [[]])
  })

  test(`${name} accounts: an account being erased is rejected at once, and keeps its records until its work ends`, async () => {
    const { clock, tables, deps } = await openFilled()
    await using _ = tables
    const { accounts, queue, log } = deps
    const claim = await claimNext(queue)
    const { accountId } = claim.inference
    await deleteAccount(deps, { accountId, by: null, name: accountId.replace('id-of-', '') }, options)
    assert.notEqual((await accounts.find(accountId, options))?.disabledAt, null)
    assert.deepEqual(await accounts.listSessions(accountId, options), [])
    await eraseDeletedAccounts(deps, options)
    assert.equal((await log.find(claim.id, accountId, options))?.status, 'running')
    await clock.advance(60_000)
    await eraseDeletedAccounts(deps, options)
    assert.equal(await log.find(claim.id, accountId, options), null)
    assert.equal(await accounts.find(accountId, options), null)
    const late = await queue.complete(
      claim,
      { completion: { outcome: 'failed', error: { code: 'inference_failed', message: 'x', param: null } }, usage: null },
      options,
    )
    assert.equal(late, 'lost')
  })

  test(`${name} accounts: erasing the last owner, a mismatched name or an unknown account changes nothing`, async () => {
    const { tables, deps } = await openFilled()
    await using _ = tables
    const margaret = { accountId: 'id-of-margaret', by: null, name: 'margaret' }
    await assert.rejects(deleteAccount(deps, { ...margaret, name: 'Margaret' }, options), { code: 'validation_error', param: 'name' })
    await assert.rejects(deleteAccount(deps, { ...margaret, accountId: 'nobody' }, options), { code: 'not_found' })
    await assert.rejects(deleteAccount(deps, { ...margaret, by: 'nobody' }, options), { code: 'insufficient_scope' })
    await deleteAccount(deps, margaret, options)
    await assert.rejects(deleteAccount(deps, { accountId: 'id-of-leopold', by: null, name: 'leopold' }, options), {
      code: 'validation_error',
      message: /only owner/,
    })
  })
}

function tableOf(row: string): string {
  return row.slice(0, row.indexOf(' '))
}
