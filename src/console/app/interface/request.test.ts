import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'

const browser = openBrowserPage()
const { request } = await import('./request.ts')

test('an emoji that was cut in two is sent as a character that is missing, since the service takes no half of one', async () => {
  let sent: unknown
  browser.answerWith(async (_path, { body }) => {
    sent = body
    return Response.json({})
  })
  await request('/console/api/x', { method: 'POST', body: { words: ['cut \ud83d', 'whole 🐯'] } })
  assert.equal(sent, '{"words":["cut \ufffd","whole 🐯"]}')
})
