import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageSeries } from './usage-series.ts'

const days = ['2026-01-01', '2026-01-02']

function row(model: string, day: string, requests: number) {
  return { day, accountId: 'a', model, requests, failures: 0, promptTokens: 0, completionTokens: 0, images: 0, cost: 0 }
}

test('amounts line up with the days and several accounts add up', () => {
  const rows = [row('chat', '2026-01-02', 3), row('chat', '2026-01-02', 4)]
  assert.deepEqual(
    usageSeries(days, rows, (each) => each.requests),
    [{ name: 'chat', amounts: [0, 7] }],
  )
})

test('models without any amount are left out', () => {
  assert.deepEqual(
    usageSeries(days, [row('chat', '2026-01-01', 1)], (each) => each.images),
    [],
  )
})

test('the fifth model and those behind it become others', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'].map((model, index) => row(model, '2026-01-01', 10 - index))
  const series = usageSeries(days, rows, (each) => each.requests)
  assert.deepEqual(
    series.map((each) => [each.name, each.amounts[0]]),
    [
      ['a', 10],
      ['b', 9],
      ['c', 8],
      ['others', 13],
    ],
  )
})
