import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effect } from '@preact/signals'
import { openBrowserPage } from '../../../../../../test/support/browser-page.ts'
import type { Turn } from '../../../../../core/chat/conversation.ts'

const page = openBrowserPage('/console/chat')
const { Conversation } = await import('../conversation.ts')

const shared = { files: [], failure: null, model: 'm', facts: null } as const
const question: Turn = { ...shared, id: 'q', parent: null, role: 'user', content: 'Hello', state: 'done', at: 1 }
const written = (id: string, at: number): Turn => ({
  ...shared,
  id,
  parent: 'q',
  role: 'assistant',
  content: '',
  state: 'writing',
  inference: `r-${id}`,
  at,
})

/** Waits until a condition on signals holds. */
function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    effect(() => {
      if (holds()) resolve()
    })
  })
}

test('the connection counts as lost until each of two compared answers has it again or has ended', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
  const chunk = { choices: [{ delta: { content: 'a' }, finish_reason: 'stop' }] }
  const mayAnswer = Promise.withResolvers<void>()
  page.answerWith(async (address) => {
    if (address !== '/v1/requests/r-other/events') throw new TypeError('fetch failed')
    await mayAnswer.promise
    return new Response(event(chunk) + event({ status: 'completed', outcome: 'succeeded' }))
  })
  const turns = [question, written('lost', 2), written('other', 3)]
  const conversation = new Conversation({ id: 'c', title: 'Hello', pinned: false, leaf: 'other', turns })
  await until(() => conversation.connectionLost.value)
  mayAnswer.resolve()
  await until(() => conversation.turns.value.at(-1)?.state === 'done')
  await new Promise(setImmediate)
  assert.equal(conversation.connectionLost.value, true)
  conversation.stop()
  await until(() => !conversation.connectionLost.value)
})

test('an answer that the service has stored is not overwritten by the notice that it begins, sent late', async () => {
  const mayStore = Promise.withResolvers<void>()
  const sent: string[] = []
  page.answerWith(async (address, { method = 'GET' }) => {
    if (method === 'PUT') {
      sent.push(address.replace(/^.*\/conversations\/[^/]+/, ''))
      await mayStore.promise
      return new Response(null, { status: 204 })
    }
    if (address === '/v1/chat/completions')
      return Response.json({ response_id: 'r' }, { status: 202, headers: { 'x-service-turn': 'kept' } })
    if (address.endsWith('/events')) return new Response('data: {"status":"completed","outcome":"succeeded"}\n\n')
    if (address.startsWith('/v1/responses/'))
      return Response.json({ choices: [{ message: { content: 'An elm.' }, finish_reason: 'stop' }], usage: null })
    return new Response(null, { status: 404 })
  })
  const conversation = new Conversation()
  conversation.say('Name a tree.')
  await until(() => conversation.turns.value.at(-1)?.state === 'done')
  mayStore.resolve()
  await conversation.keeper.settled()
  const [question] = conversation.turns.value
  assert.deepEqual(
    sent.filter((address) => address !== ''),
    [`/turns/${question?.id}`],
  )
})
