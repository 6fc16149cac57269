import type { NodeTally } from '../core/cluster/node-tally.ts'
import type { Telemetry } from './telemetry.ts'

/** What this process has done so far, of its metrics. */
export function tallyOf({ metrics: { registry, generatedTokens, workSeconds, timeToFirstToken, stepSeconds } }: Telemetry): NodeTally {
  return {
    startedAt: registry.startedAt,
    completionTokens: generatedTokens.sum(() => true),
    requests: workSeconds.total().count,
    firstTokens: timeToFirstToken.total(),
    steps: stepSeconds.total(),
    residentBytes: process.memoryUsage.rss(),
  }
}
