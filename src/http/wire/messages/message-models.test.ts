import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../../../../test/support/wire/assert-refused.ts'
import { describeFakeImage, describeFakeText } from '../../../runtimes/fake/fake-catalog.ts'
import { encodeMessageModels } from './message-models.ts'

const descriptors = [
  ...['a', 'b', 'c', 'd', 'e'].map((id) => describeFakeText({ id })),
  describeFakeText({ id: 'embedder', generates: false }),
  describeFakeImage(),
]
const models = descriptors.map((descriptor) => ({ descriptor, state: null, contextLength: 1024 }))
const pageOf = (query: Readonly<Record<string, unknown>>) => encodeMessageModels(models, query)

test('a model is listed in the format of the messages, if it answers them', () => {
  const [first, ...rest] = pageOf({}).data
  assert.deepEqual(first, {
    type: 'model',
    id: 'a',
    display_name: 'Fake Chat',
    created_at: '2026-01-01T00:00:00.000Z',
    lifecycle: 'active',
    max_input_tokens: 1024,
    max_tokens: 1024,
    capabilities: null,
    deprecated_at: null,
    line: null,
    retires_at: null,
  })
  assert.deepEqual(
    rest.map(({ id }) => id),
    ['b', 'c', 'd', 'e'],
  )
})

for (const [query, ids, more] of [
  [{ limit: '2' }, 'ab', true],
  [{ limit: '5' }, 'abcde', false],
  [{ limit: '2', after_id: 'b' }, 'cd', true],
  [{ limit: '2', after_id: 'd' }, 'e', false],
  [{ after_id: 'e' }, '', false],
  [{ limit: '2', before_id: 'e' }, 'cd', true],
  [{ limit: '2', before_id: 'c' }, 'ab', false],
  [{ limit: '2', before_id: 'b' }, 'a', false],
  [{ before_id: 'a' }, '', false],
] as const)
  test(`the page of ${JSON.stringify(query)} has ${ids === '' ? 'no models' : `the models ${ids}`}`, () => {
    const { data, has_more, first_id, last_id } = pageOf(query)
    assert.deepEqual([data.map(({ id }) => id).join(''), has_more], [ids, more])
    assert.deepEqual([first_id, last_id], [ids.at(0) ?? null, ids.at(-1) ?? null])
  })

test('unknown ids and contradicting places are rejected', () => {
  for (const [query, param] of [
    [{ after_id: 'x' }, 'after_id'],
    [{ before_id: 'embedder' }, 'before_id'],
    [{ after_id: 'a', before_id: 'c' }, 'before_id'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
  ] as const)
    assertRefused(() => pageOf(query), { param })
})
