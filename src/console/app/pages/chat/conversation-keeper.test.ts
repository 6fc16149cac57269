import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'

const page = openBrowserPage()
const { ConversationKeeper } = await import('./conversation-keeper.ts')

const settings = { model: 'fake-chat', parameters: {} }
const head = { title: 'Otters', pinned: true, leaf: 'a', settings, countsFrom: 'q' }

test('only the parts of a head that changed since it was last stored are sent', async ({ mock }) => {
  // No timer for another attempt outlives the test.
  mock.timers.enable({ apis: ['setTimeout'] })
  const keeper = new ConversationKeeper('c', { head: () => head as never, turn: () => undefined })
  const sent: unknown[] = []
  const answerWith = (status: number, meanwhile?: () => void) =>
    page.answerWith(async (_address, { body }) => {
      sent.push(JSON.parse(String(body)))
      meanwhile?.()
      return new Response(null, { status })
    })
  answerWith(413)
  keeper.headChanged('title')
  await keeper.settled()
  answerWith(204, () => {
    answerWith(204)
    keeper.headChanged('leaf')
  })
  keeper.headChanged('pinned')
  await keeper.settled()
  keeper.headChanged('settings')
  await keeper.settled()
  const { title, pinned, leaf } = head
  assert.deepEqual(sent, [{ title }, { title, pinned }, { title, pinned, leaf }, { settings, countsFrom: 'q' }])
})
