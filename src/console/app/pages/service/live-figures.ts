import type { ServiceHealth } from '../../../contract/service.ts'
import { type MetricsReading, sumOf } from './read-metrics.ts'

/** What was asked of the service at one moment. */
export interface ServiceReading {
  /** Unix milliseconds. */
  readonly at: number
  readonly health: ServiceHealth
  readonly metrics: MetricsReading
}

/** What happened between two readings, or holds at the later; null = nothing of that kind happened. */
export interface LiveFigures {
  readonly tokensPerSecond: number
  readonly requestsPerSecond: number
  /** Mean time to the first token, in milliseconds. */
  readonly firstTokenMs: number | null
  /** Mean time of a denoising step, in milliseconds. */
  readonly stepMs: number | null
  readonly inUse: number
  readonly waiting: number
  /** Of the service and its model processes. */
  readonly memoryBytes: number
}

/** The figures between two readings; a service that was started again in between counts from nothing. */
export function figuresBetween(before: ServiceReading, after: ServiceReading): LiveFigures {
  const seconds = Math.max(0.001, (after.at - before.at) / 1000)
  const grown = (name: string, labels?: Readonly<Record<string, string>>) => {
    const growth = sumOf(after.metrics, name, labels) - sumOf(before.metrics, name, labels)
    return growth < 0 ? sumOf(after.metrics, name, labels) : growth
  }
  const meanMs = (name: string) => {
    const count = grown(`${name}_count`)
    return count > 0 ? (grown(`${name}_sum`) / count) * 1000 : null
  }
  return {
    tokensPerSecond: grown('sepia_tokens_total', { kind: 'completion' }) / seconds,
    requestsPerSecond: grown('sepia_work_seconds_count') / seconds,
    firstTokenMs: meanMs('sepia_time_to_first_token_seconds'),
    stepMs: meanMs('sepia_step_seconds'),
    inUse: sumOf(after.metrics, 'sepia_model_slots_in_use'),
    waiting: sumOf(after.metrics, 'sepia_model_requests_waiting'),
    memoryBytes: after.health.memoryBytes + after.health.modelMemoryBytes,
  }
}
