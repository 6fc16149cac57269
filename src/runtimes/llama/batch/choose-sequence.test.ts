import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseSequence, type SequenceState } from './choose-sequence.ts'

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index)
const empty = (id: number): SequenceState => ({ id, account: null, tokens: [], busy: false, lastUsed: 0 })

test('the longest shared prefix of the same account is continued in place', () => {
  const states = [empty(0), { id: 1, account: 'a', tokens: range(0, 100), busy: false, lastUsed: 1 }]
  assert.deepEqual(chooseSequence(states, { account: 'a', prompt: range(0, 120) }), { target: 1, source: null, keep: 100 })
})

test('another account’s tokens are never reused', () => {
  const states = [empty(0), { id: 1, account: 'b', tokens: range(0, 100), busy: false, lastUsed: 1 }]
  assert.deepEqual(chooseSequence(states, { account: 'a', prompt: range(0, 120) }), { target: 0, source: null, keep: 0 })
})

test('a conversation that would lose most of its tokens is copied instead', () => {
  const states = [empty(0), { id: 1, account: 'a', tokens: range(0, 100), busy: false, lastUsed: 1 }]
  const prompt = [...range(0, 50), ...range(1000, 1010)]
  assert.deepEqual(chooseSequence(states, { account: 'a', prompt }), { target: 0, source: 1, keep: 50 })
})

test('the prefix of a running sequence is copied', () => {
  const states = [{ id: 0, account: 'a', tokens: range(0, 100), busy: true, lastUsed: 1 }, empty(1)]
  assert.deepEqual(chooseSequence(states, { account: 'a', prompt: range(0, 60) }), { target: 1, source: 0, keep: 59 })
})

test('the last prompt token is always computed', () => {
  const states = [{ id: 0, account: 'a', tokens: range(0, 10), busy: false, lastUsed: 1 }]
  assert.equal(chooseSequence(states, { account: 'a', prompt: range(0, 10) })?.keep, 9)
})

test('the least recently used sequence is evicted', () => {
  const states = [
    { id: 0, account: 'a', tokens: range(0, 10), busy: false, lastUsed: 7 },
    { id: 1, account: 'b', tokens: range(0, 10), busy: false, lastUsed: 3 },
  ]
  assert.equal(chooseSequence(states, { account: 'c', prompt: range(0, 10) })?.target, 1)
})

test('no sequence is chosen when all are busy', () => {
  assert.equal(chooseSequence([{ id: 0, account: 'a', tokens: [], busy: true, lastUsed: 1 }], { account: 'a', prompt: [1] }), null)
})
