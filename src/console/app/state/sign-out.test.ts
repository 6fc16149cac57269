import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'

const page = openBrowserPage('/')
const { signOut } = await import('./session.ts')
const { storedSignal } = await import('./stored.ts')

test("signing out removes the user's data, and late responses do not bring it back", async () => {
  page.answerWith(async () => new Response(null, { status: 204 }))
  const stored = storedSignal('chat', { system: '' })
  stored.value = { system: 'a secret' }
  page.kept.set('sepia.theme', 'dark').set('other', 'x')
  const before = page.reloads()
  await signOut()
  stored.value = { system: 'another' }
  assert.deepEqual([...page.kept.keys()].toSorted(), ['other', 'sepia.theme'])
  assert.equal(page.reloads(), before + 1)
})
