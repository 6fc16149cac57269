import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastHours } from './usage-series.ts'

test('the last 24 hours end with the current hour and may cross midnight', () => {
  const hours = lastHours(Date.UTC(2026, 10, 23, 9, 59))
  assert.deepEqual([hours.length, hours[0], hours[14], hours.at(-1)], [24, '2026-11-22T10', '2026-11-23T00', '2026-11-23T09'])
})
