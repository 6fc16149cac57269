import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'
import type { Account } from '../../../core/account.ts'

const page = openBrowserPage('/')
const { admit } = await import('./session.ts')
const { storedSignal } = await import('./stored.ts')

test('late responses do not bring back the data of an account after another one has signed in', () => {
  admit({ id: 'ada' } as Account)
  const stored = storedSignal('chat', { system: '' })
  stored.value = { system: 'a secret' }
  const before = page.reloads()
  admit({ id: 'bob' } as Account)
  stored.value = { system: 'another' }
  assert.deepEqual([...page.kept], [['sepia.work.person', '{"id":"bob"}']])
  assert.equal(page.reloads(), before + 1)
})
