import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMemoryStore } from '../../../test/support/memory/create-memory-store.ts'
import { createTestClock } from '../../../test/support/test-clock.ts'
import type { Turn } from '../../core/chat/conversation.ts'
import { cancelled } from '../../core/deferred/attempts.ts'
import { keepConversation, keepTurn, removeTurn } from './keep-conversation.ts'
import { type AnswerEnding, beginAnswer, endAnswer } from './kept-answers.ts'
import { openConversation, readTurns, readVersions } from './open-conversation.ts'
import { removeConversation, restoreConversation } from './remove-conversation.ts'

const options = { signal: new AbortController().signal }
const target = { accountId: 'ada', id: 'c' }
const place = { conversation: 'c', turn: 'a', parent: 'q' }
const usage = { promptTokens: 3, completionTokens: 2, cachedTokens: 0 }

function answerOf(id: string) {
  return { inference: { id, accountId: 'ada', model: 'm', createdAt: 0 }, place }
}

const succeeded = (text: string, reason: 'stop' | 'length' = 'stop'): AnswerEnding => ({
  outcome: 'succeeded',
  error: null,
  written: {
    firstAt: 10,
    lastAt: 30,
    parts: [
      { type: 'text', choice: 0, text },
      { type: 'choice-finish', choice: 0, reason },
      { type: 'finish', usage },
    ],
  },
})

async function createParts() {
  const clock = createTestClock()
  const { documents, log, queue } = createMemoryStore({ clock, limits: { maxPending: 9 } })
  const deps = { documents, log, clock, maxDocumentBytes: 1_000_000 }
  await keepConversation(deps, { ...target, change: { title: 'Hello', pinned: false, leaf: 'a' } }, options)
  const read = async () => (await openConversation(deps, target, options)).turns
  return { deps, read, queue, clock }
}

type Parts = Awaited<ReturnType<typeof createParts>>

/** Submits a request, and has a worker claim it unless it waits. */
async function submit({ queue }: Parts, id: string, { claimed = true } = {}) {
  const work = { kind: 'chat', request: { model: 'm' } } as never
  const common = { accountId: 'ada', tokenId: null, traceparent: null, priority: 'normal', idempotency: null, webhookUrl: null } as const
  await queue.enqueue({ ...common, id, work }, options)
  if (!claimed) return
  const wanted = { workerId: 'w', rooms: [{ model: 'm', room: 9 }], limit: 9, leaseMs: 60_000 }
  await queue.claim(wanted, options)
}

test('an answer is stored in its conversation without any open page', async () => {
  const { deps, read } = await createParts()
  await beginAnswer(deps, answerOf('r1'), options)
  const begun = await read()
  assert.deepEqual(
    begun.map(({ id, parent, state, inference, model }) => [id, parent, state, inference, model]),
    [['a', 'q', 'writing', 'r1', 'm']],
  )
  await endAnswer(deps, answerOf('r1'), succeeded('Hi', 'length'), options)
  const [turn] = await read()
  assert.deepEqual([turn?.content, turn?.state], ['Hi', 'cut'])
  assert.deepEqual(turn?.facts, { promptTokens: 3, completionTokens: 2, firstTextMs: 10, writingMs: 20 })
})

test('the rest of an answer follows what there is, and what is cancelled or fails keeps what was written', async () => {
  const { deps, read } = await createParts()
  for (const [id, ending, content, state] of [
    ['r1', succeeded('One', 'length'), 'One', 'cut'],
    ['r2', { ...succeeded(' two'), outcome: 'cancelled' }, 'One two', 'stopped'],
    [
      'r3',
      { ...succeeded(' three'), outcome: 'failed', error: { code: 'inference_failed', message: 'It broke.', param: null } },
      'One two three',
      'failed',
    ],
    ['r4', succeeded('.'), 'One two three.', 'done'],
  ] as const) {
    await beginAnswer(deps, answerOf(id), options)
    await endAnswer(deps, answerOf(id), ending, options)
    const [turn] = await read()
    assert.deepEqual([turn?.content, turn?.state, turn?.failure], [content, state, state === 'failed' ? 'It broke.' : null])
  }
  assert.deepEqual((await read())[0]?.facts, { promptTokens: 3, completionTokens: 8, firstTextMs: 10, writingMs: 80 })
})

test('tokens that a stopped continuation did not count are counted by the next', async () => {
  const { deps, read } = await createParts()
  const stopped: AnswerEnding = {
    ...{ outcome: 'cancelled', error: null },
    written: { firstAt: 10, lastAt: 30, parts: [{ type: 'text', choice: 0, text: ' two three four' }] },
  }
  const last: AnswerEnding = {
    ...{ outcome: 'succeeded', error: null },
    written: { firstAt: 10, lastAt: 30, parts: [{ type: 'finish', usage: { promptTokens: 9, completionTokens: 2, cachedTokens: 0 } }] },
  }
  for (const [id, ending] of [
    ['r1', succeeded('One', 'length')],
    ['r2', stopped],
    ['r3', last],
  ] as const) {
    await beginAnswer(deps, answerOf(id), options)
    await endAnswer(deps, answerOf(id), ending, options)
  }
  const { promptTokens = 0, completionTokens = 0 } = (await read())[0]?.facts ?? {}
  assert.deepEqual([promptTokens, completionTokens], [9 - 2, 4])
})

test('a failed answer has its cause and names its request, unless the request itself is at fault', async () => {
  const { deps, read } = await createParts()
  for (const [id, code, requestId] of [
    ['r1', 'inference_failed', 'r1'],
    ['r2', 'context_length_exceeded', undefined],
  ] as const) {
    const error = { code, message: 'No.', param: null, cause: 'aborted' }
    await beginAnswer(deps, answerOf(id), options)
    await endAnswer(deps, answerOf(id), { outcome: 'failed', error, written: null }, options)
    const [turn] = await read()
    assert.deepEqual([turn?.failure, turn?.cause, turn?.requestId], ['No.', 'aborted', requestId])
  }
})

test('an answer that ended before its beginning is noted stays as it ended', async () => {
  const { deps, read } = await createParts()
  await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
  await beginAnswer(deps, answerOf('r1'), options)
  assert.deepEqual(
    (await read()).map(({ content, state }) => [content, state]),
    [['Hi', 'done']],
  )
})

test('a late notice that an answer begins changes nothing', async () => {
  const { deps, read } = await createParts()
  await beginAnswer(deps, answerOf('r1'), options)
  await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
  const [turn] = await read()
  assert.ok(turn)
  await keepTurn(deps, { ...target, turn: { ...turn, state: 'writing', content: '' } }, options)
  assert.deepEqual(await read(), [turn])
})

test('a notice that an answer begins, stored while the answer ends, changes nothing', async () => {
  const { deps, read } = await createParts()
  await beginAnswer(deps, answerOf('r1'), options)
  const [begun] = await read()
  assert.ok(begun)
  await removeTurn(deps, { ...target, turnId: 'a' }, options)
  const { documents } = deps
  let isEnded = false
  const racing: typeof documents = Object.create(documents, {
    put: {
      value: async (...given: Parameters<typeof documents.put>) => {
        if (!isEnded) {
          isEnded = true
          await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
        }
        return documents.put(...given)
      },
    },
  })
  const { inference: _, ...notice } = begun
  await keepTurn({ ...deps, documents: racing }, { ...target, turn: notice }, options)
  const [turn] = await read()
  assert.deepEqual([turn?.state, turn?.content], ['done', 'Hi'])
})

test('removed messages and answers of earlier requests do not come back', async () => {
  const { deps, read } = await createParts()
  await beginAnswer(deps, answerOf('r1'), options)
  await removeTurn(deps, { ...target, turnId: 'a' }, options)
  await endAnswer(deps, answerOf('r1'), { ...succeeded('Hi'), outcome: 'cancelled' }, options)
  assert.deepEqual(await read(), [])
  await beginAnswer(deps, answerOf('r2'), options)
  await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
  assert.equal((await read())[0]?.state, 'writing')
  await removeConversation(deps, target, options)
  await endAnswer(deps, answerOf('r2'), succeeded('Hi'), options)
  await assert.rejects(beginAnswer(deps, answerOf('r3'), options), { code: 'not_found' })
})

test('a page that sends its known versions gets only later changes', async () => {
  const { deps } = await createParts()
  const turn: Turn = {
    ...{ id: 'q', parent: null, role: 'user', content: 'Hello', files: [], state: 'done' },
    ...{ failure: null, model: null, facts: null, at: 1 },
  }
  await keepTurn(deps, { ...target, turn }, options)
  const { version, versions } = await openConversation(deps, target, options)
  assert.deepEqual(versions, { q: 1 })
  assert.equal(await readVersions(deps, { ...target, known: version }, options), null)
  await beginAnswer(deps, answerOf('r1'), options)
  const begun = await readVersions(deps, { ...target, known: version }, options)
  assert.deepEqual(begun?.versions, { q: 1, a: 1 })
  await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
  const ended = await readVersions(deps, { ...target, known: begun?.version ?? 0 }, options)
  assert.deepEqual(ended?.versions, { q: 1, a: 2 })
  const read = await readTurns(deps, { ...target, turnIds: ['a', 'never'] }, options)
  assert.deepEqual([read.turns.map(({ content }) => content), read.versions], [['Hi'], { a: 2 }])
  await removeTurn(deps, { ...target, turnId: 'q' }, options)
  assert.deepEqual((await readVersions(deps, { ...target, known: ended?.version ?? 0 }, options))?.versions, { a: 2 })
})

/** What a page stores of an answer that it believes has ended. */
async function keepByPage({ deps, read }: Parts, fields: Partial<Turn>): Promise<void> {
  const [known] = await read()
  assert.ok(known)
  const { inference: _, ...seen } = known
  await keepTurn(deps, { ...target, turn: { ...seen, ...fields } }, options)
}

for (const [what, fields] of [
  ['lost the reply to its request', { state: 'failed', failure: 'No connection.' }],
  ['could not follow it', { state: 'failed', failure: 'Internal error.', inference: 'r1', content: 'H' }],
  ['stopped it before any text arrived', { state: 'stopped', inference: 'r1' }],
  ['saw its end without counts', { state: 'done', inference: 'r1', content: 'Hi', calls: [{ id: 'c', name: 'now', arguments: '{"ci' }] }],
] as const satisfies readonly (readonly [string, Partial<Turn>])[]) {
  test(`an answer is stored whole although the page that requested it ${what}`, async () => {
    const parts = await createParts()
    const { deps, read, clock } = parts
    await submit(parts, 'r1')
    await beginAnswer(deps, answerOf('r1'), options)
    const keeping = keepByPage(parts, fields)
    // The page of a stopped answer waits for the text; others that know of the request try again.
    if (fields.state === 'stopped') await clock.waiting(1)
    else if ('inference' in fields) await assert.rejects(keeping, { code: 'server_is_overloaded' })
    else await keeping
    await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
    await clock.advance(20)
    await Promise.allSettled([keeping])
    const [ended] = await read()
    assert.deepEqual([ended?.content, ended?.state, ended?.failure, ended?.facts?.completionTokens], ['Hi', 'done', null, 2])
    await keepByPage(parts, fields)
    assert.deepEqual(await read(), [ended])
  })
}

test('a page adds to an answer what only it knows', async () => {
  const parts = await createParts()
  const { deps, read } = parts
  await beginAnswer(deps, answerOf('r1'), options)
  const { written, ...ending } = succeeded('Hi')
  const call = [
    { type: 'tool-call', choice: 0, index: 0, id: 'c', name: 'now' },
    { type: 'tool-arguments', choice: 0, index: 0, fragment: '{"city":"Rome"}' },
  ] as const
  await endAnswer(deps, answerOf('r1'), { ...ending, written: written && { ...written, parts: [...call, ...written.parts] } }, options)
  const calls = [{ id: 'c', name: 'now', arguments: '{"ci', result: '12:00' }]
  await keepByPage(parts, { state: 'done', inference: 'r1', content: '', schemaFaults: ['/a is missing'] })
  await keepByPage(parts, { state: 'stopped', inference: 'r1', content: '', calls })
  const [turn] = await read()
  assert.deepEqual([turn?.content, turn?.facts?.completionTokens, turn?.schemaFaults], ['Hi', 2, ['/a is missing']])
  assert.deepEqual(turn?.calls, [{ id: 'c', name: 'now', arguments: '{"city":"Rome"}', result: '12:00' }])
})

test('a page keeps the text of a stopped answer until a worker stores it or none will', async () => {
  const parts = await createParts()
  const { deps, read, clock, queue } = parts
  await submit(parts, 'r1')
  await beginAnswer(deps, answerOf('r1'), options)
  const keep = () => keepByPage(parts, { state: 'stopped', inference: 'r1', content: 'page' })
  const refused = assert.rejects(keep(), { code: 'server_is_overloaded' })
  await clock.waiting(1)
  await clock.advance(10_000)
  await refused
  // The worker has died.
  await queue.cancel({ id: 'r1', accountId: 'ada' }, options)
  await clock.advance(60_000)
  await queue.sweep({ maxQueueMs: 1e9, spared: [] }, options)
  await clock.advance(2000)
  await keep()
  assert.deepEqual([(await read())[0]?.content, (await read())[0]?.state], ['page', 'stopped'])
})

test('a page ends an answer whose request no worker will store', async () => {
  const parts = await createParts()
  const { deps, read, queue } = parts
  await beginAnswer(deps, answerOf('forgotten'), options)
  await keepByPage(parts, { state: 'failed', failure: 'Not found.', inference: 'forgotten' })
  assert.equal((await read())[0]?.state, 'failed')
  await submit(parts, 'r1', { claimed: false })
  await beginAnswer(deps, answerOf('r1'), options)
  await queue.cancel({ id: 'r1', accountId: 'ada' }, options)
  await keepByPage(parts, { state: 'stopped', inference: 'r1' })
  assert.equal((await read())[0]?.state, 'stopped')
})

test('a page stores the answer to a later request, of which the service does not know', async () => {
  const parts = await createParts()
  const { deps, read } = parts
  await beginAnswer(deps, answerOf('r1'), options)
  await endAnswer(deps, answerOf('r1'), succeeded('One', 'length'), options)
  await keepByPage(parts, { state: 'done', inference: 'r2', content: 'One two' })
  assert.equal((await read())[0]?.content, 'One two')
})

test('what a page knows of a stopped answer waits until the service has had time to store its text', async () => {
  const parts = await createParts()
  const { deps, read, queue, clock } = parts
  for (const stored of [true, false]) {
    const id = stored ? 'r1' : 'r2'
    await submit(parts, id)
    await beginAnswer(deps, answerOf(id), options)
    const error = cancelled
    await queue.complete({ id, attempt: 1 }, { completion: { outcome: 'cancelled', error }, usage: null }, options)
    const keeping = keepByPage(parts, { state: 'stopped', inference: id, content: 'page' })
    await clock.waiting(1)
    if (stored) await endAnswer(deps, answerOf(id), { ...succeeded('Hi'), outcome: 'cancelled' }, options)
    await clock.advance(stored ? 20 : 2500)
    await keeping
    assert.deepEqual([(await read())[0]?.content, (await read())[0]?.state], [stored ? 'Hi' : 'page', 'stopped'])
  }
})

test('a continuation begins when the text of the stopped request is stored', async () => {
  const parts = await createParts()
  const { deps, read, clock } = parts
  for (const id of ['r1', 'r2']) await submit(parts, id)
  await beginAnswer(deps, answerOf('r1'), options)
  const beginning = beginAnswer(deps, answerOf('r2'), options)
  await clock.waiting(1)
  await endAnswer(deps, answerOf('r1'), { ...succeeded('One'), outcome: 'cancelled' }, options)
  await clock.advance(20)
  await beginning
  await endAnswer(deps, answerOf('r2'), succeeded(' two'), options)
  assert.deepEqual([(await read())[0]?.content, (await read())[0]?.state], ['One two', 'done'])
})

test('a continuation that ends before the text of the stopped request is stored follows it', async () => {
  const parts = await createParts()
  const { deps, read, clock } = parts
  for (const id of ['r1', 'r2']) await submit(parts, id)
  await beginAnswer(deps, answerOf('r1'), options)
  const beginning = beginAnswer(deps, answerOf('r2'), options)
  const ending = endAnswer(deps, answerOf('r2'), succeeded(' two'), options)
  await clock.waiting(2)
  await endAnswer(deps, answerOf('r1'), { ...succeeded('One'), outcome: 'cancelled' }, options)
  await clock.advance(20)
  await Promise.all([beginning, ending])
  assert.deepEqual([(await read())[0]?.content, (await read())[0]?.state], ['One two', 'done'])
})

test('a continuation does not take over an answer whose request goes on', async () => {
  const parts = await createParts()
  const { deps, read, clock } = parts
  for (const id of ['r1', 'r2']) await submit(parts, id)
  await beginAnswer(deps, answerOf('r1'), options)
  const refused = assert.rejects(beginAnswer(deps, answerOf('r2'), options), { code: 'server_is_overloaded' })
  await clock.waiting(1)
  await clock.advance(10_000)
  await refused
  await endAnswer(deps, answerOf('r1'), succeeded('One'), options)
  assert.deepEqual([(await read())[0]?.content, (await read())[0]?.state], ['One', 'done'])
})

test('a conversation that is removed while a continuation waits keeps no message', async () => {
  const parts = await createParts()
  const { deps, clock } = parts
  for (const id of ['r1', 'r2']) await submit(parts, id)
  await beginAnswer(deps, answerOf('r1'), options)
  const refused = assert.rejects(beginAnswer(deps, answerOf('r2'), options), { code: 'not_found' })
  await clock.waiting(1)
  await removeConversation(deps, target, options)
  await endAnswer(deps, answerOf('r1'), succeeded('One'), options)
  await clock.advance(10_000)
  await refused
  await clock.advance(11 * 60_000)
  await deps.documents.takeExpired(9, options)
  assert.equal((await deps.documents.sum({ accountId: 'ada', kind: 'turn' }, options)).count, 0)
})

test('an answer that is stored again after a fault is reported to the pages', async () => {
  const { deps } = await createParts()
  await beginAnswer(deps, answerOf('r1'), options)
  await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
  const { version } = await openConversation(deps, target, options)
  await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
  assert.notEqual(await readVersions(deps, { ...target, known: version }, options), null)
})

test('removing and restoring a conversation keeps what is stored in it meanwhile', async () => {
  const { deps, read } = await createParts()
  await beginAnswer(deps, answerOf('r1'), options)
  const { documents } = deps
  let isEnded = false
  const racing: typeof documents = Object.create(documents, {
    list: {
      value: async (...given: Parameters<typeof documents.list>) => {
        const listed = await documents.list(...given)
        if (!isEnded) await endAnswer(deps, answerOf('r1'), succeeded('Hi'), options)
        isEnded = true
        return listed
      },
    },
  })
  await restoreConversation({ ...deps, documents: racing }, target, options)
  assert.deepEqual([(await read())[0]?.content, (await read())[0]?.state], ['Hi', 'done'])
})
