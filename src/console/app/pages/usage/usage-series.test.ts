import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usageSeries } from './usage-series.ts'

const days = ['2026-01-01', '2026-01-02']
const byModel = { key: (row: { model: string }) => row.model, name: (key: string) => key.toUpperCase(), shade: () => 3 }

function row(model: string, day: string, requests: number) {
  return { day, accountId: 'a', model, requests, failures: 0, refusals: 0, promptTokens: 0, completionTokens: 0, images: 0, cost: 0 }
}

test('amounts are aligned with the days, and several accounts are added up', () => {
  const rows = [row('chat', '2026-01-02', 3), row('chat', '2026-01-02', 4), row('chat', '2025-12-31', 9)]
  assert.deepEqual(
    usageSeries(days, rows, (each) => each.requests, byModel),
    [{ key: 'chat', name: 'CHAT', shade: 3, amounts: [0, 7] }],
  )
})

test('models without usage are left out', () => {
  assert.deepEqual(
    usageSeries(days, [row('chat', '2026-01-01', 1)], (each) => each.images, byModel),
    [],
  )
})

test('with more than eight models, the eighth and later ones are combined as "others"', () => {
  const rows = [...'abcdefghi'].map((model, index) => row(model, '2026-01-01', 10 - index))
  const series = usageSeries(days, rows, (each) => each.requests, byModel)
  assert.deepEqual(
    series.map((each) => [each.key, each.amounts[0]]),
    [...'abcdefg'].map((model, index) => [model, 10 - index] as [string, number]).concat([['others', 5]]),
  )
  assert.equal(series.at(-1)?.shade, 'others')
})
