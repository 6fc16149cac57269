import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { effect } from '@preact/signals'
import { openBrowserPage } from '../../../../../test/support/browser-page.ts'
import type { Turn } from '../../../../core/chat/conversation.ts'

const page = openBrowserPage()
const { Conversation } = await import('./conversation.ts')
const { changeChatSettings } = await import('./chat-settings.ts')

let conversation = new Conversation()
/** The messages stored on the service, by id: the latest version of each. */
let kept = new Map<string, Partial<Turn>>()

/** The service's side of one answer, which the test writes piece by piece. */
function openAnswer(): {
  readonly body: Promise<{ messages: readonly object[] }>
  send(...chunks: readonly unknown[]): void
  fail(message: string): void
} {
  const asked = Promise.withResolvers<{ messages: readonly object[] }>()
  const encoder = new TextEncoder()
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  let inference: object = { id: 'r1', status: 'running', outcome: null, error: null }
  page.answerWith(async (address, init) => {
    if (address === '/console/api/requests/r1') return Response.json({ inference })
    if (address === '/v1/requests/r1/events') {
      init.signal?.addEventListener('abort', () => void writer.abort(init.signal?.reason))
      return new Response(readable)
    }
    if (address !== '/v1/chat/completions') return keep(address, init)
    asked.resolve(JSON.parse(String(init.body)))
    return Response.json({ response_id: 'r1' }, { status: 202 })
  })
  const send = (...chunks: readonly unknown[]) => {
    for (const chunk of chunks) void writer.write(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)).catch(() => {})
  }
  return {
    body: asked.promise,
    send,
    fail: (message) => {
      inference = { id: 'r1', status: 'completed', outcome: 'failed', error: { message } }
      send({ status: 'completed', outcome: 'failed' })
    },
  }
}

const succeeded = { status: 'completed', outcome: 'succeeded' }

async function keep(address: string, { method, body }: RequestInit): Promise<Response> {
  const id = address.split('/turns/')[1]
  if (id !== undefined && method === 'PUT') kept.set(id, JSON.parse(String(body)))
  if (id !== undefined && method === 'DELETE') kept.delete(id)
  return new Response(null, { status: 204 })
}

/** The stored conversation, with other fields of its answer. */
function storedWith(fields: Partial<Turn>, version = 1): Response {
  const [question, shown] = conversation.turns.peek()
  const answer: Partial<Turn> = shown ?? {}
  const versions = { [question?.id ?? '']: 1, [answer.id ?? '']: 2 }
  return Response.json({ title: 'Hello', pinned: false, leaf: answer.id, turns: [{ ...answer, ...fields }], versions, version })
}

const halfAnswer: Partial<Turn> = { content: 'Half', state: 'failed', failure: 'It broke.', requestId: 'r1' }

/** Lets the next answer fail before the page can read it. Returns what the page stores. */
function failAtOnce(error: object, stored: () => Response | Promise<Response>): readonly Partial<Turn>[] {
  const sent: Partial<Turn>[] = []
  page.answerWith(async (address, { body, method = 'GET' }) => {
    if (address === '/v1/chat/completions')
      return Response.json({ response_id: 'r1' }, { status: 202, headers: { 'x-service-turn': 'kept' } })
    if (address === '/v1/requests/r1/events') return new Response('data: {"status":"completed","outcome":"failed"}\n\n')
    if (address === '/console/api/requests/r1')
      return Response.json({ inference: { id: 'r1', status: 'completed', outcome: 'failed', error } })
    if (method !== 'PUT') return await stored()
    sent.push(JSON.parse(String(body)))
    return new Response(null, { status: 204 })
  })
  return sent
}

const text = (content: string) => ({ choices: [{ delta: { content }, finish_reason: null }] })
const finish = (reason: string) => ({ choices: [{ delta: { content: '' }, finish_reason: reason }] })
const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } }

/** The last message, as soon as it meets a condition. */
function lastWhen(wanted: (turn: Turn) => boolean): Promise<Turn> {
  return new Promise((resolve) => {
    let end: (() => void) | undefined
    end = effect(() => {
      const last = conversation.turns.value.at(-1)
      if (last === undefined || !wanted(last)) return
      resolve(last)
      end?.()
    })
  })
}

afterEach(() => conversation.keeper.settled())
beforeEach(() => {
  conversation = new Conversation()
  kept = new Map()
})

describe('a conversation', () => {
  it('shows text while it is generated, and its figures at the end', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    assert.equal(conversation.writing.value, true)
    answer.send(text('Hi'))
    assert.equal((await lastWhen(({ content }) => content === 'Hi')).state, 'writing')
    answer.send(text(' there'), finish('stop'), usage, succeeded)
    const done = await lastWhen(({ facts }) => facts !== null)
    assert.deepEqual([done.role, done.content, done.state, done.failure], ['assistant', 'Hi there', 'done', null])
    assert.deepEqual([done.facts?.promptTokens, done.facts?.completionTokens], [5, 2])
    assert.equal(conversation.writing.value, false)
  })

  it('sends all earlier messages, but no answers that never began', async () => {
    let answer = openAnswer()
    conversation.say('One')
    answer.fail('No.')
    await lastWhen(({ state }) => state === 'failed')
    answer = openAnswer()
    conversation.say('Two')
    assert.deepEqual((await answer.body).messages, [
      { role: 'user', content: 'One' },
      { role: 'user', content: 'Two' },
    ])
  })

  it('keeps its settings from the first message on, and adopts changes from another page', async () => {
    openAnswer()
    changeChatSettings({ system: 'You are a pirate.' })
    conversation.say('Hello')
    changeChatSettings({ system: '' })
    const heads: { settings?: { parameters: { system: string } } }[] = []
    const { settings } = conversation
    assert.equal(settings.value?.parameters.system, 'You are a pirate.')
    page.answerWith(async (address, init) => {
      if (init.method === 'PUT' && !address.includes('/turns/')) heads.push(JSON.parse(String(init.body)))
      return new Response(null, { status: 204 })
    })
    assert.ok(settings.value)
    conversation.keepSettings({ ...settings.value, parameters: { ...settings.value.parameters, system: 'You are a parrot.' } })
    await conversation.keeper.settled()
    assert.equal(heads.at(-1)?.settings?.parameters.system, 'You are a parrot.')
    conversation.stop()
  })

  it('is named after its first message, on one line, with an ellipsis where it is cut, never cutting an emoji, and never after hidden text', () => {
    openAnswer()
    for (const [said, title] of [
      ['two\n lines\u0000', 'two lines'],
      ['👍'.repeat(80), '👍'.repeat(80)],
      ['👍'.repeat(90), `${'👍'.repeat(79)}…`],
      ['\u200b', 'Untitled'],
    ] as const) {
      conversation = new Conversation()
      conversation.say(said)
      assert.equal(conversation.title.peek(), title)
      conversation.stop()
    }
  })

  it('loads what the service stored of an answer that failed before the page could read it, with the reason', async () => {
    const cause = 'out of memory'
    failAtOnce({ message: 'It broke.', cause }, () => storedWith({ ...halfAnswer, cause }))
    conversation.say('Hello')
    const failed = await lastWhen(({ content }) => content === 'Half')
    assert.deepEqual([failed.state, failed.failure, failed.cause], ['failed', 'It broke.', cause])
    await conversation.keeper.settled()
  })

  it('loads the stored answer even if something else in the conversation changed while it was read', async () => {
    let looked = 0
    const sent = failAtOnce({ message: 'It broke.' }, () => {
      if (++looked === 1) conversation.rename('A greeting')
      return storedWith(halfAnswer, looked)
    })
    conversation.say('Hello')
    const failed = await lastWhen(({ content }) => content === 'Half')
    assert.deepEqual([failed.state, failed.failure], ['failed', 'It broke.'])
    await conversation.keeper.settled()
    assert.deepEqual(
      sent.filter(({ state }) => state === 'failed'),
      [],
      'what the service has needs no other copy',
    )
  })

  it('shows that an answer reached its limit', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('a'), finish('length'), succeeded)
    assert.equal((await lastWhen(({ state }) => state !== 'writing')).state, 'cut')
  })

  it('keeps the text of a cancelled answer, and does not show it as a failure', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('Once upon'))
    await lastWhen(({ content }) => content !== '')
    conversation.stop()
    const stopped = await lastWhen(({ state }) => state !== 'writing')
    assert.deepEqual([stopped.state, stopped.content, stopped.failure], ['stopped', 'Once upon', null])
  })

  it('stays stopped when the service shows its request before the page has its id', async () => {
    const submitted = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    page.answerWith(async (address, { method = 'GET' }) => {
      if (address === '/v1/chat/completions') return submitted.promise.then(() => Response.json({ response_id: 'r1' }, { status: 202 }))
      if (address.startsWith('/v1/requests/r1')) cancelled.resolve()
      if (method !== 'GET') return new Response(null, { status: 204 })
      return storedWith({ state: 'writing', inference: 'r1' })
    })
    conversation.say('Hello')
    conversation.stop()
    await lastWhen(({ state }) => state === 'stopped')
    await conversation.keeper.settled()
    await conversation.refresh()
    assert.equal(conversation.writing.value, false)
    submitted.resolve()
    await cancelled.promise
  })

  it('keeps the text and shows the reason when the service reports a failure', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('Half'))
    answer.fail('The model stopped.')
    const failed = await lastWhen(({ state }) => state === 'failed')
    assert.deepEqual([failed.content, failed.failure, failed.requestId], ['Half', 'The model stopped.', 'r1'])
  })

  it('starts over when another attempt generates the answer', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    answer.send({ status: 'running', attempt: 1 }, text('Lost'))
    await lastWhen(({ content }) => content === 'Lost')
    answer.send({ status: 'running', attempt: 2 }, text('Found'), finish('stop'), usage, succeeded)
    assert.equal((await lastWhen(({ state }) => state === 'done')).content, 'Found')
  })

  it('resumes an answer that the service is generating, and reads only what other pages have changed', async () => {
    const answer = openAnswer()
    const turn = { parent: null, files: [], failure: null, model: null, facts: null, at: 1 } as const
    const question: Turn = { ...turn, id: 'q', role: 'user', content: 'Hello', state: 'done' }
    const written: Turn = { ...turn, id: 'a', parent: 'q', role: 'assistant', content: '', state: 'writing', inference: 'r1', at: 2 }
    const head = { id: 'c', title: 'Hello', pinned: false }
    conversation = new Conversation({ ...head, leaf: 'a', turns: [question, written], versions: { q: 1, a: 1 }, version: 1 })
    answer.send(text('Hi'), finish('stop'), usage, succeeded)
    assert.equal((await lastWhen(({ state }) => state === 'done')).content, 'Hi')
    const more: Turn = { ...question, id: 'q2', parent: 'q', content: 'And now?', at: 3 }
    page.answerWith(async (address) => {
      const versions = { q: 1, q2: 1 }
      if (address === '/console/api/conversations/c/versions?known=1')
        return Response.json({ ...head, title: 'Hi', leaf: 'q2', versions, version: 2 })
      assert.equal(address, '/console/api/conversations/c/turns?ids=q2')
      return Response.json({ turns: [more], versions: { q2: 1 } })
    })
    await conversation.refresh()
    assert.deepEqual(
      conversation.turns.value.map(({ content }) => content),
      ['Hello', 'And now?'],
    )
    assert.equal(conversation.title.value, 'Hi')
  })

  it('has sensible figures for an answer without text', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    answer.send(finish('stop'), usage, succeeded)
    const { facts } = await lastWhen(({ facts }) => facts !== null)
    assert.ok(facts !== null && facts.firstTextMs >= 0)
    assert.equal(facts.writingMs, 0)
  })

  it('retries without the last answer', async () => {
    let answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('No'), finish('stop'), succeeded)
    await lastWhen(({ state }) => state === 'done')
    answer = openAnswer()
    const last = conversation.turns.value.at(-1)
    assert.ok(last)
    conversation.regenerate(last)
    assert.deepEqual((await answer.body).messages, [{ role: 'user', content: 'Hello' }])
    answer.send(text('Yes'), finish('stop'), succeeded)
    const again = await lastWhen(({ state }) => state === 'done')
    assert.equal(again.content, 'Yes')
    assert.equal(conversation.turns.value.length, 2)
    assert.deepEqual(
      conversation.versions(again).map(({ content }) => content),
      ['No', 'Yes'],
    )
  })

  it('answers a message again whose answer was removed', async () => {
    let answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('No'), finish('stop'), succeeded)
    const removed = await lastWhen(({ state }) => state === 'done')
    conversation.remove(removed)
    const [question] = conversation.turns.value
    assert.ok(question)
    answer = openAnswer()
    conversation.answer(question)
    assert.deepEqual((await answer.body).messages, [{ role: 'user', content: 'Hello' }])
    answer.send(text('Yes'), finish('stop'), succeeded)
    await lastWhen(({ content, state }) => content === 'Yes' && state === 'done')
    assert.equal(conversation.turns.value.length, 2)
  })

  it('continues an answer in the same message', async () => {
    let answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('Once upon'), finish('length'), usage, succeeded)
    const cut = await lastWhen(({ state }) => state === 'cut')
    answer = openAnswer()
    conversation.continueAnswer(cut)
    assert.deepEqual((await answer.body).messages.at(-1), { role: 'assistant', content: 'Once upon' })
    answer.send(text(' a time.'), finish('stop'), usage, succeeded)
    const done = await lastWhen(({ state }) => state === 'done')
    await new Promise(setImmediate)
    assert.deepEqual([done.id, done.content], [cut.id, 'Once upon a time.'])
    assert.deepEqual([done.facts?.promptTokens, done.facts?.completionTokens], [5, 4])
  })

  it('keeps generating while another conversation is shown, and is saved at its end', async () => {
    const answer = openAnswer()
    const first = conversation
    first.say('Hello')
    await answer.body
    conversation = new Conversation()
    answer.send(text('Late'), finish('stop'), succeeded)
    while (![...kept.values()].some(({ content, state }) => content === 'Late' && state === 'done')) await new Promise(setImmediate)
    assert.deepEqual(
      [...kept.values()].map(({ content, state }) => [content, state]),
      [
        ['Hello', 'done'],
        ['Late', 'done'],
      ],
    )
    assert.deepEqual(conversation.turns.value, [])
  })

  it('sends queued changes at once when the user leaves the page', async () => {
    const sent: string[] = []
    const { promise: answered, resolve } = Promise.withResolvers<void>()
    page.answerWith(async (address, { keepalive = false }) => {
      if (address === '/v1/chat/completions') return new Response(null, { status: 500 })
      sent.push(`${address.includes('/turns/') ? 'a message' : 'the head'}${keepalive ? ', outliving the page' : ''}`)
      await answered
      return new Response(null, { status: 204 })
    })
    conversation.say('Hello')
    assert.deepEqual(sent, ['the head, outliving the page'])
    conversation.keeper.leave()
    resolve()
    assert.deepEqual(sent.slice(1), ['the head, outliving the page', 'a message, outliving the page', 'a message, outliving the page'])
    await conversation.keeper.settled()
  })

  it('is created with all its parts', async () => {
    const heads: object[] = []
    page.answerWith(async (address, { body, method }) => {
      if (address === '/v1/chat/completions') return new Response(null, { status: 500 })
      if (method === 'PUT' && !address.includes('/turns/')) heads.push(JSON.parse(String(body)))
      return new Response(null, { status: 204 })
    })
    conversation.say('Hello')
    const leaf = conversation.turns.peek()[0]?.id
    assert.deepEqual(heads, [{ title: 'Hello', pinned: false, leaf, settings: conversation.settings.peek() }])
  })

  it('removes a message with everything after it, and restores both', async () => {
    const answer = openAnswer()
    conversation.say('Hello')
    answer.send(text('Hi'), finish('stop'), succeeded)
    await lastWhen(({ state }) => state === 'done')
    const [first] = conversation.turns.value
    assert.ok(first)
    const undo = conversation.remove(first)
    await conversation.keeper.settled()
    assert.deepEqual([conversation.turns.value.length, kept.size], [0, 0])
    undo()
    await conversation.keeper.settled()
    assert.deepEqual([conversation.turns.value.length, kept.size], [2, 2])
  })
})
