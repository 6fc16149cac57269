import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import type { Turn } from '../../../../../core/chat/conversation.ts'

const page = openBrowserPage('/console/chat')
const { followAnswer } = await import('./write-answer.ts')

test('an answer that a restarted service begins again is connected before its first word', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const begun = [
    { status: 'running', attempt: 2 },
    { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] },
    { status: 'completed', outcome: 'succeeded' },
  ]
  const answers = [() => Promise.reject(new TypeError('fetch failed'))]
  const stream = begun.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  page.answerWith(async () => answers.pop()?.() ?? new Response(stream))
  const reported: boolean[] = []
  const onConnection = (isLost: boolean) => {
    reported.push(isLost)
    if (isLost) setImmediate(() => mock.timers.tick(1000))
  }
  const { signal } = new AbortController()
  await followAnswer(
    { content: '', files: [] } as unknown as Turn,
    { id: 'r1', sentAt: null, schema: null, signal, onConnection },
    () => {},
  )
  assert.deepEqual(reported, [true, false, false, false])
})
