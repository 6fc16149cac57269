import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceHealth } from '../../../contract/service.ts'
import { figuresBetween } from './live-figures.ts'
import { readMetrics } from './read-metrics.ts'

const health: ServiceHealth = {
  ...{ version: '1', nodeVersion: '24', platform: 'linux', uptimeMs: 1, freeMemoryBytes: 1, load: 0, cores: 2, limits: [], nodes: [] },
  ...{ memoryBytes: 100, modelMemoryBytes: 50 },
}
const reading = (at: number, text: string) => ({ at, health, metrics: readMetrics(text) })
const first = `# TYPE sepia_tokens_total counter
sepia_tokens_total{model="a",kind="prompt"} 1000
sepia_tokens_total{model="a",kind="completion"} 10
sepia_time_to_first_token_seconds_bucket{le="1"} 7
sepia_time_to_first_token_seconds_sum{model="a"} 5
sepia_time_to_first_token_seconds_count{model="a"} 2
nonsense that is no metric`
const second = `sepia_tokens_total{model="a",kind="completion"} 40
sepia_tokens_total{model="b",kind="completion"} 30
sepia_time_to_first_token_seconds_sum{model="a"} 5.5
sepia_time_to_first_token_seconds_count{model="a"} 4
sepia_model_slots_in_use{model="a"} 2
sepia_model_slots_in_use{model="b"} 1
sepia_model_requests_waiting{model="b"} 3`

test('figures are what happened between two readings, over all models', () => {
  const figures = figuresBetween(reading(1000, first), reading(4000, second))
  assert.deepEqual(figures, {
    ...{ tokensPerSecond: 20, requestsPerSecond: 0, firstTokenMs: 250, stepMs: null },
    ...{ inUse: 3, waiting: 3, memoryBytes: 150 },
  })
})

test('a service that was started again counts from nothing', () => {
  assert.equal(figuresBetween(reading(0, second), reading(1000, first)).tokensPerSecond, 10)
})
