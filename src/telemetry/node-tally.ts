import type { NodeTally } from '../core/cluster/node-tally.ts'
import type { Telemetry } from './telemetry.ts'

/** What this process has done so far, of its metrics. */
export function tallyOf({ metrics: { registry, tokens, workSeconds, timeToFirstToken, stepSeconds } }: Telemetry): NodeTally {
  return {
    startedAt: registry.startedAt,
    completionTokens: tokens.sum(([, kind]) => kind === 'completion'),
    requests: workSeconds.total().count,
    firstTokens: timeToFirstToken.total(),
    steps: stepSeconds.total(),
    residentBytes: process.memoryUsage.rss(),
  }
}
