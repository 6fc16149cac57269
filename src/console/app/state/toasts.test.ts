import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'

openBrowserPage('/')
const { holdToast, releaseToast, runToast, showToast, toasts } = await import('./toasts.ts')

test('a message whose action failed under the pointer stays until ten seconds after the pointer has left it', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  showToast('The token is revoked.', { label: 'Undo', run: () => Promise.reject(new Error('It broke.')) })
  const [toast = assert.fail('no message')] = toasts.value
  holdToast(toast, 'pointer')
  await assert.rejects(runToast(toast), { message: 'It broke.' })
  mock.timers.tick(60_000)
  assert.deepEqual(toasts.value, [toast])
  releaseToast(toast, 'pointer')
  mock.timers.tick(9999)
  assert.deepEqual(toasts.value, [toast])
  mock.timers.tick(1)
  assert.deepEqual(toasts.value, [])
})

test('a message whose action failed by a key disappears ten seconds later', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  showToast('The token is revoked.', { label: 'Undo', run: () => Promise.reject(new Error('It broke.')) })
  const [toast = assert.fail('no message')] = toasts.value
  mock.timers.tick(9999)
  await assert.rejects(runToast(toast), { message: 'It broke.' })
  mock.timers.tick(9999)
  assert.deepEqual(toasts.value, [toast])
  mock.timers.tick(1)
  assert.deepEqual(toasts.value, [])
})

test('a message with the focus stays when the pointer leaves it', ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  showToast('The token is revoked.', { label: 'Undo', run: () => {} })
  const [toast = assert.fail('no message')] = toasts.value
  holdToast(toast, 'focus')
  holdToast(toast, 'pointer')
  releaseToast(toast, 'pointer')
  mock.timers.tick(60_000)
  assert.deepEqual(toasts.value, [toast])
  releaseToast(toast, 'focus')
  mock.timers.tick(10_000)
  assert.deepEqual(toasts.value, [])
})
