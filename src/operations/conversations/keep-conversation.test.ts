import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf, createParts, options, type Parts, submit, succeeded, target } from '../../../test/support/memory/stored-answers.ts'
import type { Turn } from '../../core/chat/conversation.ts'
import { cancelled } from '../../core/deferred/attempts.ts'
import { keepTurn, removeTurn } from './keep-conversation.ts'
import { beginAnswer, endAnswer } from './kept-answers.ts'

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
