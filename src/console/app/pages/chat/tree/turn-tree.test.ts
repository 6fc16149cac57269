import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Turn } from '../../../../../core/chat/conversation.ts'
import { allBelow, mergeTurns, newestBelow, pathTo, versionsByMessage } from './turn-tree.ts'

const turn = (id: string, parent: string | null, role: Turn['role']): Turn => ({
  ...{ id, parent, role, content: id, files: [], state: 'done', failure: null, model: null, facts: null, at: 0 },
})

/** A question with two answers, the second of which has two continuations. */
const turns = [
  turn('q', null, 'user'),
  turn('a1', 'q', 'assistant'),
  turn('a2', 'q', 'assistant'),
  turn('q2', 'a2', 'user'),
  turn('a3', 'q2', 'assistant'),
  turn('q3', 'a2', 'user'),
]
const ids = (found: readonly Turn[]) => found.map(({ id }) => id)

test('a path leads from the start to one end', () => {
  assert.deepEqual(ids(pathTo(turns, 'a3')), ['q', 'a2', 'q2', 'a3'])
  assert.deepEqual(ids(pathTo(turns, 'a1')), ['q', 'a1'])
  assert.deepEqual(pathTo(turns, null), [])
  assert.deepEqual(pathTo(turns, 'gone'), [])
})

test('a path ends at a circle of messages or at a missing message', () => {
  assert.deepEqual(ids(pathTo([turn('x', 'y', 'user'), turn('y', 'x', 'user')], 'x')), ['y', 'x'])
  assert.deepEqual(ids(pathTo([turn('x', 'gone', 'user')], 'x')), ['x'])
})

test('versions share their parent message', () => {
  const [, a1, , q2] = turns
  assert.deepEqual(a1 && ids(versionsByMessage(turns)(a1)), ['a1', 'a2'])
  assert.deepEqual(q2 && ids(versionsByMessage(turns)(q2)), ['q2', 'q3'])
})

test('finds the newest end below a message, and everything removed with it', () => {
  assert.equal(newestBelow(turns, 'q'), 'q3')
  assert.equal(newestBelow(turns, 'q2'), 'a3')
  assert.deepEqual(ids(allBelow(turns, 'a2')), ['a2', 'q2', 'a3', 'q3'])
})

test('versions do not change places when the service stores them with other times', () => {
  const own = [turn('q', null, 'user'), { ...turn('a1', 'q', 'assistant'), at: 1 }, { ...turn('a2', 'q', 'assistant'), at: 2 }]
  const read = { turns: [{ ...turn('a1', 'q', 'assistant'), content: 'done', at: 9 }], versions: { q: 1, a1: 2, a2: 1 } }
  const merged = mergeTurns(own, read, { isOurs: () => false, wasThere: () => true })
  assert.deepEqual(
    merged.map(({ id, content }) => [id, content]),
    [
      ['q', 'q'],
      ['a1', 'done'],
      ['a2', 'a2'],
    ],
  )
})
