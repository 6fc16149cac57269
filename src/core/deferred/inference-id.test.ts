import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeInferenceId, makeOrderedId } from './inference-id.ts'

const uuid = '11111111-2222-4333-8444-555555555555'

test('an id contains the time and the account, and stays random', () => {
  const id = makeInferenceId({ uuid, accountId: 'a', now: Date.UTC(2026, 0, 1) })
  assert.match(id, /^019b76da-a800-7[0-9a-f]{3}-8444-555555555555$/)
  assert.ok(id < makeInferenceId({ uuid, accountId: 'a', now: Date.UTC(2026, 0, 1) + 1 }))
})

test('account hashes spread over the twelve bits', () => {
  const parts = Array.from({ length: 4096 }, (_, index) => makeInferenceId({ uuid, accountId: `account ${index}`, now: 0 }).slice(15, 18))
  assert.ok(new Set(parts).size > 2400)
  assert.equal(makeInferenceId({ uuid, accountId: 'x', now: 0 }), makeInferenceId({ uuid, accountId: 'x', now: 0 }))
})

test('an id without an account contains the time, and stays random', () => {
  assert.equal(makeOrderedId(uuid, Date.UTC(2026, 0, 1)), '019b76da-a800-7333-8444-555555555555')
})
