import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUsageSpan } from './usage.ts'

const options = { now: Date.UTC(2026, 10, 23, 23, 59), code: 'validation_error' } as const
const read = (query: { from?: unknown; to?: unknown }) => readUsageSpan(query, options)

test('the default is the last thirty days, and includes the given last day', () => {
  assert.deepEqual(read({}), { from: '2026-10-25', to: '2026-11-23' })
  assert.deepEqual(read({ to: '2020-03-01' }), { from: '2020-02-01', to: '2020-03-01' })
  assert.deepEqual(read({ from: '2026-11-23' }), { from: '2026-11-23', to: '2026-11-23' })
  assert.deepEqual(read({ from: '2024-02-29', to: '2024-02-29' }), { from: '2024-02-29', to: '2024-02-29' })
})

for (const [query, param] of [
  [{ from: '2026-02-31' }, 'from'],
  [{ to: '2026-02-29' }, 'to'],
  [{ to: '2026-13-01' }, 'to'],
  [{ from: '2026-1-1' }, 'from'],
  [{ from: '' }, 'from'],
  [{ from: ['2026-01-01', '2026-01-02'] }, 'from'],
  [{ from: '2026-11-02', to: '2026-11-01' }, 'from'],
  [{ from: '2027-01-01' }, 'from'],
] as const)
  test(`rejects ${JSON.stringify(query)} with the name of the field`, () => {
    assert.throws(() => read(query), { code: 'validation_error', param })
  })
