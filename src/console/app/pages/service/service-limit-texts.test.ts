import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitAmount, limitName } from './service-limit-texts.ts'

test('limits of the service are shown with their values', () => {
  for (const [name, most, amount] of [
    ['modelMemoryBytes', 5 * 1024 ** 3, /^5 GiB$/],
    ['synchronousBodyBytes', 1.5 * 1024 ** 2, /^1\.5 MiB$/],
    ['storedBytesPerAccount', 0, /^0 B$/],
    ['threadsPerEngine', 4, /^4$/],
    ['shareOfQueue', 0.25, /^25\u00a0%$/],
    ['waitForModelMs', 60_000, /^1\smin$/],
    ['requestsPerMinute', null, /no limit/],
  ] as const) {
    assert.ok(limitName({ name, most }).length > 3)
    assert.match(limitAmount({ name, most }), amount)
  }
})
