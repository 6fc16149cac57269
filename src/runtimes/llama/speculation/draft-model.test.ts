import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ComputeThreads } from '../binding/compute-threads.ts'
import { CountingContext } from '../binding/counting-context.ts'
import type { TokenSampler } from '../binding/native-context.ts'
import { DraftModel } from './draft-model.ts'

const sampler: TokenSampler = { draw: async () => 0 }

function open(changes: { contextLength?: number; vocabularySize?: number } = {}): { draft: DraftModel; context: CountingContext } {
  const context = new CountingContext()
  const resources = { [Symbol.asyncDispose]: async () => {} }
  return {
    context,
    draft: new DraftModel({
      context,
      threads: new ComputeThreads({ count: 1 }, 1e9),
      sampler,
      contextLength: 2000,
      vocabularySize: 10_000,
      now: () => 0,
      resources,
      ...changes,
    }),
  }
}

const text = (tokens: readonly number[], id = 0, account = 'a') => ({ id, account, tokens })
const count = (length: number): number[] => Array.from({ length }, (_, index) => index)
const lists = (guesses: readonly Uint32Array[]): number[][] => guesses.map((guess) => [...guess])

test('reads a text and guesses the next tokens, one per batch', async () => {
  const { draft, context } = open()
  assert.deepEqual(lists(await draft.guess([text(count(5))], () => 3)), [[5, 6, 7]])
  assert.deepEqual(context.batches, ['0:5', '0:1', '0:1'])
})

test('reads only new tokens, and discards its wrong guesses', async () => {
  const { draft, context } = open()
  await draft.guess([text(count(5))], () => 3)
  await draft.guess([text([...count(6), 99])], () => 2)
  assert.deepEqual(context.removals, ['0:6'])
  assert.deepEqual(context.batches.slice(3), ['0:1', '0:1'])
})

test('guesses for several texts in the same batches, in any order', async () => {
  const { draft, context } = open()
  assert.deepEqual(lists(await draft.guess([text(count(3), 1), text(count(5), 0)], () => 2)), [
    [3, 4],
    [5, 6],
  ])
  assert.deepEqual(context.batches, ['0:5 1:3', '0:1 1:1'])
})

test('reads a long text in pieces before it guesses', async () => {
  const { draft, context } = open()
  assert.deepEqual(await draft.guess([text(count(600))], () => 2), [])
  assert.deepEqual(await draft.guess([text(count(600))], () => 2), [])
  assert.deepEqual(lists(await draft.guess([text(count(600))], () => 2)), [[600, 601]])
  assert.deepEqual(context.batches, ['0:128', '0:256', '0:216', '0:1'])
})

test('reads everything again for another account', async () => {
  const { draft, context } = open()
  await draft.guess([text(count(5))], () => 1)
  await draft.guess([text(count(5), 0, 'b')], () => 1)
  assert.deepEqual(context.batches, ['0:5', '0:5'])
})

test('does no work when no guess is wanted, and stays within its context', async () => {
  const { draft, context } = open({ contextLength: 7 })
  let reached = Number.NaN
  const choose = (reach: number): number => {
    reached = reach
    return 0
  }
  assert.deepEqual(await draft.guess([text(count(5))], choose), [])
  assert.deepEqual([reached, context.batches], [2, []])
})

test('never guesses a token that the main model does not have', async () => {
  const { draft } = open({ vocabularySize: 7 })
  assert.deepEqual(lists(await draft.guess([text(count(5))], () => 4)), [[5, 6]])
})
