import assert from 'node:assert/strict'
import { beforeEach, describe, it, test } from 'node:test'
import { deserialize, serialize } from 'node:v8'
import type { FromEngine } from './engine-messages.ts'
import { holdMs, MessageGatherer, type Parcel, pack, unpack } from './parcels.ts'

const text = (id: number, choice: number, value: string): FromEngine => ({ type: 'part', id, part: { type: 'text', choice, text: value } })

test('packed messages are unpacked unchanged and in order', () => {
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

let now = 0
let turn: (() => void)[] = []
let timers: { readonly call: () => void; readonly at: number }[] = []
let sent: (readonly FromEngine[])[] = []

const token = (id: number): FromEngine => ({ type: 'part', id, part: { type: 'text', choice: 0, text: 'a' } })
const prompt = (id: number): FromEngine => ({ type: 'part', id, part: { type: 'prompt', usage: { promptTokens: 1, cachedTokens: 0 } } })

function createGatherer(): MessageGatherer {
  return new MessageGatherer({
    now: () => now,
    soon: (call) => turn.push(call),
    later: (call, ms) => {
      const timer = { call, at: now + ms }
      timers.push(timer)
      return {
        [Symbol.dispose]: () => {
          timers = timers.filter((each) => each !== timer)
        },
      }
    },
    send: (messages) => sent.push(messages),
  })
}

function endTurn(): void {
  for (const call of turn.splice(0)) call()
}

function pass(ms: number): void {
  now += ms
  for (const timer of timers.filter((each) => each.at <= now)) timer.call()
}

describe('MessageGatherer', () => {
  beforeEach(() => {
    now = 0
    turn = []
    timers = []
    sent = []
  })

  it('sends the messages of one turn together, and a token at once if none was sent recently', () => {
    const gatherer = createGatherer()
    gatherer.add(token(1))
    gatherer.add(token(2))
    assert.deepEqual(sent, [])
    endTurn()
    assert.deepEqual(sent, [[token(1), token(2)]])
    pass(holdMs)
    gatherer.add(token(1))
    endTurn()
    assert.equal(sent.length, 2)
  })

  it('holds back tokens that follow soon until the delay ends', () => {
    const gatherer = createGatherer()
    gatherer.add(token(1))
    endTurn()
    pass(holdMs / 4)
    gatherer.add(token(1))
    endTurn()
    pass(holdMs / 4)
    gatherer.add(token(1))
    endTurn()
    assert.equal(sent.length, 1)
    pass(holdMs / 2)
    assert.deepEqual(sent[1], [token(1), token(1)])
    assert.deepEqual(timers, [])
    pass(holdMs)
    assert.equal(sent.length, 2)
  })

  for (const urgent of [
    prompt(2),
    { type: 'part', id: 2, part: { type: 'choice-finish', choice: 0, reason: 'stop' } },
    { type: 'done', id: 2 },
    { type: 'memory', bytes: 1 },
  ] satisfies FromEngine[])
    it(`sends everything with ${urgent.type === 'part' ? urgent.part.type : urgent.type}, in order`, () => {
      const gatherer = createGatherer()
      gatherer.add(token(1))
      endTurn()
      gatherer.add(token(1))
      gatherer.add(urgent)
      gatherer.add(token(2))
      endTurn()
      assert.deepEqual(sent[1], [token(1), urgent, token(2)])
      assert.deepEqual(timers, [])
    })

  it('sends a full batch at once', () => {
    const gatherer = createGatherer()
    gatherer.add(token(1))
    endTurn()
    for (let id = 0; id < 64; id++) gatherer.add(token(id))
    endTurn()
    assert.equal(sent[1]?.length, 64)
  })
})
