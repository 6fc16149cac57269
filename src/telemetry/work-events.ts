import type { NodeTally } from '../core/cluster/node-tally.ts'
import type { WorkEvent } from '../core/work-event.ts'
import type { Telemetry } from './telemetry.ts'

/** Work has told what it spends its time on: stretches become spans below what runs now, and all of it moves the metrics. */
export function workWatched({ metrics, traces }: Telemetry, event: WorkEvent): void {
  const { model } = event
  if (event.type === 'first-token') metrics.timeToFirstToken.observe([model], event.ms / 1000)
  else if (event.type === 'next-token') metrics.interTokenLatency.observe([model], event.ms / 1000)
  else if (event.type === 'step') metrics.stepSeconds.observe([model], event.ms / 1000)
  else {
    const { name, startedAt, endedAt } = event
    metrics.phaseSeconds.observe([model, name], (endedAt - startedAt) / 1000)
    traces.record(name, { startedAt, endedAt, attributes: { 'sepia.model': model } })
  }
}

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
