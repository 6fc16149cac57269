import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deserialize, serialize } from 'node:v8'
import type { FromEngine } from './engine-messages.ts'
import { type Parcel, pack, unpack } from './parcels.ts'

const text = (id: number, choice: number, value: string): FromEngine => ({ type: 'part', id, part: { type: 'text', choice, text: value } })

test('what is packed comes out as it was, in its order', () => {
  const logprobs = [{ token: 'x', logprob: -1, bytes: [120], top: [] }]
  const messages: FromEngine[] = [
    { type: 'loaded', contextLength: 8 },
    text(7, 0, 'a'),
    text(8, 3, ''),
    { type: 'part', id: 7, part: { type: 'text', choice: 0, text: 'x', logprobs } },
    text(7, 0, '7'),
    { type: 'part', id: 7, part: { type: 'choice-finish', choice: 0, reason: 'stop' } },
    text(8, 0, 'é 🐯'),
    { type: 'done', id: 7 },
  ]
  const parcels: readonly Parcel[] = deserialize(serialize(pack(messages)))
  const received: FromEngine[] = []
  unpack(parcels, (message) => received.push(message))
  assert.deepEqual(received, messages)
  assert.equal(pack([text(1, 0, 'a'), text(2, 0, 'b'), text(1, 0, 'c')]).length, 1)
})
