import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketLimitMs, latencyBucket, percentilesOf } from './latency.ts'

test('a reported latency is accurate to a tenth, and lower than the measured one only by rounding', () => {
  for (const ms of [0, 1, 2, 3, 17, 100, 999, 12_345, 3_600_000]) {
    const reported = bucketLimitMs(latencyBucket(ms))
    assert.ok(reported >= ms - 0.5 && reported <= Math.max(1, ms * 1.1) + 0.5, `${ms} was reported as ${reported}`)
  }
})

test('percentiles cover everything merged, in any order', () => {
  const of = (ms: number, count: number) => [latencyBucket(ms), count] as const
  assert.equal(percentilesOf([]), null)
  assert.deepEqual(percentilesOf([of(1000, 1)]), { p50: 1024, p95: 1024, p99: 1024 })
  const reported = percentilesOf([of(64, 4), of(8, 50), of(512, 1), of(64, 45)])
  assert.deepEqual(reported, { p50: 8, p95: 64, p99: 64 })
})
