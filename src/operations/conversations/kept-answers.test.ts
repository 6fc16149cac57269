import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, createParts, options, submit, succeeded, target } from '../../../test/support/memory/stored-answers.ts'
import type { Turn } from '../../core/chat/conversation.ts'
import { keepTurn, removeTurn } from './keep-conversation.ts'
import { type AnswerEnding, beginAnswer, endAnswer } from './kept-answers.ts'
import { openConversation, readTurns, readVersions } from './open-conversation.ts'
import { removeConversation, restoreConversation } from './remove-conversation.ts'

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
