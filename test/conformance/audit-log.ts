import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditEntry } from '../../src/core/audit-entry.ts'
import { createTestClock } from '../support/test-clock.ts'
import { options, roomy, type StoreFactory } from './store-factory.ts'

const entry: AuditEntry = { at: 5, action: 'signed-in', accountId: 'a', address: '192.0.2.1', subject: null, detail: null }

/** Actions, newest first, in pages. */
export function testAuditLog(name: string, open: StoreFactory): void {
  test(`${name} audit: entries are returned unchanged, newest first, in pages`, async () => {
    await using store = await open({ clock: createTestClock(), limits: roomy })
    assert.deepEqual(await store.audit.list({ before: null, limit: 10 }, options), [])
    const operator: AuditEntry = {
      at: 3,
      action: 'account-changed',
      accountId: null,
      address: null,
      subject: 'b',
      detail: '{"role":"owner"}',
    }
    for (const each of [entry, operator, { ...entry, at: 9 }]) await store.audit.append(each, options)
    const all = await store.audit.list({ before: null, limit: 10 }, options)
    assert.deepEqual(
      all.map(({ number: _, ...kept }) => kept),
      [{ ...entry, at: 9 }, operator, entry],
    )
    const [newest, ...older] = all
    assert.deepEqual(await store.audit.list({ before: newest?.number ?? 0, limit: 1 }, options), older.slice(0, 1))
    assert.deepEqual(await store.audit.list({ before: older[1]?.number ?? 0, limit: 10 }, options), [])
  })
}
