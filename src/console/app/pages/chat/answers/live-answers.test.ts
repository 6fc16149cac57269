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

test('a stopped answer is stored when its request is cancelled', async () => {
  const requests: string[] = []
  const both = Promise.withResolvers<void>()
  page.answerWith(async (address, { method = 'GET', signal }) => {
    if (address.endsWith('/events')) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    // The reply to the cancellation takes a moment.
    if (method === 'POST' || method === 'DELETE') for (let i = 0; i < 10; i++) await new Promise(setImmediate)
    if (method === 'GET') return new Response(null, { status: 404 })
    requests.push(address.includes('/turns/') ? 'store' : 'cancel')
    if (requests.length === 2) both.resolve()
    return new Response(null, { status: 204 })
  })
  const conversation = new Conversation({ id: 'c', title: 'Hello', pinned: false, leaf: 'a', turns: [question, written('a', 2)] })
  conversation.stop()
  await both.promise
  await conversation.keeper.settled()
  assert.deepEqual(requests, ['cancel', 'store'])
})

test('a page follows the answer to a request whose reply was lost', async () => {
  let body = {}
  let shown: Turn | undefined
  const conversation = new Conversation()
  page.answerWith(async (address, { method = 'GET' }) => {
    if (address === '/v1/chat/completions') throw new TypeError('fetch failed')
    if (method === 'PUT') return new Response(null, { status: 204 })
    if (address.endsWith('/events')) return new Response('data: {"status":"completed","outcome":"succeeded"}\n\n')
    if (address.startsWith('/v1/responses/'))
      return Response.json({ choices: [{ message: { content: 'An elm.' }, finish_reason: 'stop' }], usage: null })
    const [said, answer] = conversation.turns.value
    assert.ok(said && answer)
    shown ??= answer
    body = { title: 'Name', pinned: false, leaf: answer.id, versions: { [said.id]: 1, [answer.id]: 1 }, version: 1 }
    return Response.json({ ...body, turns: [said, { ...written(answer.id, answer.at), parent: said.id, inference: 'r' }] })
  })
  conversation.say('Name a tree.')
  await until(() => conversation.turns.value.at(-1)?.state === 'done')
  assert.deepEqual([shown?.state, conversation.turns.value.at(-1)?.content], ['failed', 'An elm.'])
  await conversation.keeper.settled()
})

test('a stopped answer is continued from the text that the service has stored', async () => {
  const begun = Promise.withResolvers<{ messages: readonly { readonly content: string }[] }>()
  let isCancelled = false
  let isStored = false
  page.answerWith(async (address, { method = 'GET', body, signal }) => {
    if (address === '/v1/chat/completions') {
      begun.resolve(JSON.parse(String(body)))
      return Response.json({ response_id: 'r2' }, { status: 202, headers: { 'x-service-turn': 'kept' } })
    }
    if (address.endsWith('/events')) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    // The service answers a page that stores a stopped answer when it has stored its text.
    if (address.endsWith('/turns/a')) isStored = isCancelled
    else if (method !== 'GET') isCancelled = true
    if (method !== 'GET') return new Response(null, { status: 204 })
    const answer = written('a', 2)
    const turns = [question, isStored ? { ...answer, state: 'stopped', content: 'One two' } : answer]
    return Response.json({
      title: 'Hello',
      pinned: false,
      leaf: 'a',
      turns,
      versions: { q: 1, a: isStored ? 2 : 1 },
      version: isStored ? 2 : 1,
    })
  })
  const conversation = new Conversation({
    id: 'c',
    title: 'Hello',
    pinned: false,
    leaf: 'a',
    turns: [question, { ...written('a', 2), content: 'One' }],
  })
  const [, answer] = conversation.turns.value
  assert.ok(answer)
  conversation.stop()
  await until(() => conversation.turns.value.at(-1)?.state === 'stopped')
  conversation.continueAnswer(answer)
  conversation.continueAnswer(answer)
  assert.equal((await begun.promise).messages.at(-1)?.content, 'One two')
  conversation.stop()
  await conversation.keeper.settled()
})

test('an answer that is stopped without a connection is cancelled when it is back', { timeout: 5000 }, async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let tries = 0
  page.answerWith(async (address, { method = 'GET', signal }) => {
    if (address.endsWith('/events')) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    if (method === 'GET') return new Response(null, { status: 404 })
    if (!address.includes('/turns/') && ++tries < 3) throw new TypeError('fetch failed')
    return new Response(null, { status: 204 })
  })
  const conversation = new Conversation({ id: 'c', title: 'Hello', pinned: false, leaf: 'a', turns: [question, written('a', 2)] })
  conversation.stop()
  while (tries < 3) {
    await new Promise(setImmediate)
    mock.timers.tick(10_000)
  }
  await until(() => conversation.turns.value.at(-1)?.state === 'stopped')
  await conversation.keeper.settled()
})

test('a continuation that waits for the stored text is given up when everything is stopped', async () => {
  const mayCancel = Promise.withResolvers<void>()
  let isRequested = false
  page.answerWith(async (address, { method = 'GET', signal }) => {
    if (address === '/v1/chat/completions') isRequested = true
    if (address.endsWith('/events')) return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    if (method === 'GET') return new Response(null, { status: 404 })
    if (!address.includes('/turns/')) await mayCancel.promise
    return new Response(null, { status: 204 })
  })
  const conversation = new Conversation({ id: 'c', title: 'Hello', pinned: false, leaf: 'a', turns: [question, written('a', 2)] })
  conversation.stop()
  await until(() => conversation.turns.value.at(-1)?.state === 'stopped')
  const [, answer] = conversation.turns.value
  assert.ok(answer)
  conversation.continueAnswer(answer)
  conversation.stop()
  mayCancel.resolve()
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
  await conversation.keeper.settled()
  assert.equal(isRequested, false)
})
