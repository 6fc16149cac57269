import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'

const page = openBrowserPage()
const { ConversationKeeper } = await import('./conversation-keeper.ts')
const { Conversation } = await import('./conversation.ts')
const { comparedModels } = await import('./compare/compared-models.ts')

/** Stands in for the browser's database: the bodies of the changes it stores. */
const unsent = (() => {
  const records = new Map<string, { readonly body: unknown }>()
  const objectStore = () => ({
    put: (value: { readonly body: unknown }, key: string) => records.set(key, value),
    delete: (key: string) => records.delete(key),
  })
  const transaction = () => {
    const begun = { oncomplete() {}, objectStore, commit: () => begun.oncomplete() }
    return begun
  }
  const open = () => {
    const opening = { onsuccess() {}, result: { transaction } }
    queueMicrotask(() => opening.onsuccess())
    return opening
  }
  Object.defineProperty(globalThis, 'indexedDB', { value: { open } })
  return () => [...records.values()].map(({ body }) => body)
})()

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
      await Promise.resolve()
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
  assert.deepEqual(sent, [{ title }, { title, pinned }, { leaf }, { settings, countsFrom: 'q' }])
})

test('a change that fails after its page was left stays in the browser and is sent again', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const keeper = new ConversationKeeper('c', { head: () => head as never, turn: () => undefined })
  const sent: unknown[] = []
  const requests = [1, 2, 3].map(() => ({ sent: Promise.withResolvers<void>(), answer: Promise.withResolvers<Response>() }))
  page.answerWith((_address, { body }) => {
    const request = requests[sent.push(JSON.parse(String(body))) - 1]
    assert.ok(request)
    request.sent.resolve()
    return request.answer.promise
  })
  const [first, second, third] = requests
  assert.ok(first && second && third)
  const stored = new Response(null, { status: 204 })
  keeper.headChanged('title')
  keeper.headChanged('leaf')
  keeper.leave()
  first.answer.resolve(stored)
  await keeper.settled()
  await new Promise(setImmediate)
  assert.equal(keeper.isAtWork(null), true)
  assert.deepEqual(unsent(), [{ leaf: head.leaf }])
  second.answer.reject(new TypeError('fetch failed'))
  await third.sent.promise
  assert.deepEqual(sent, [{ title: head.title }, { title: head.title, leaf: head.leaf }, { leaf: head.leaf }])
  third.answer.resolve(stored)
  await keeper.settled()
  await new Promise(setImmediate)
  assert.deepEqual([keeper.isAtWork(null), unsent()], [false, []])
})

test('a conversation stays a comparison when its page is left before the service has any of it', async ({ mock }) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  page.answerWith(async (address) => {
    if (address === '/v1/chat/completions') return new Response(null, { status: 500 })
    throw new TypeError('fetch failed')
  })
  comparedModels.value = { second: 'other-chat', third: '' }
  const conversation = new Conversation()
  conversation.say('Hello')
  const [question] = conversation.turns.peek()
  await conversation.keeper.settled()
  conversation.keeper.stop()
  const leaves = unsent().flatMap((body) => (body as { readonly leaf?: string }).leaf ?? [])
  assert.deepEqual(leaves, [question?.id])
})
