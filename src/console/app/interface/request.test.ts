import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../test/support/browser-page.ts'

const browser = openBrowserPage()
const { faultOf, request, requestIdOf } = await import('./request.ts')

test('an emoji cut in two is sent as the replacement character, since the service rejects half an emoji', async () => {
  let sent: unknown
  browser.answerWith(async (_path, { body }) => {
    sent = body
    return Response.json({})
  })
  await request('/console/api/x', { method: 'POST', body: { words: ['cut \ud83d', 'whole 🐯'] } })
  assert.equal(sent, '{"words":["cut \ufffd","whole 🐯"]}')
})

test('a validation error is shown only by its field, without an id to look up in a log', async () => {
  const body = { error: { code: 'validation_error', message: 'Choose another.', param: 'password' } }
  const headers = { 'x-request-id': 'r-1' }
  browser.answerWith(async () => Response.json(body, { status: 422, headers }))
  const mistake = await request('/console/api/x').catch((error: unknown) => error)
  assert.deepEqual([faultOf(mistake, 'password'), faultOf(mistake, 'name'), requestIdOf(mistake)], ['Choose another.', null, null])
  browser.answerWith(async () => Response.json({ error: { message: 'It failed.' } }, { status: 500, headers }))
  const failure = await request('/console/api/x').catch((error: unknown) => error)
  assert.deepEqual([faultOf(failure, 'password'), requestIdOf(failure)], [null, 'r-1'])
})
