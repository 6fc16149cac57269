import type { NodeTally } from '../core/cluster/node.ts'
import type { Outcome } from '../core/inference.ts'
import type { ExpiryReport, SweepReport } from '../core/ports/inference-queue.ts'
import type { WorkEvent } from '../core/work-event.ts'
import type { Telemetry } from './telemetry.ts'

interface InferenceFacts {
  readonly inferenceId: string
  readonly model: string
}

/** A request was stored. */
export function inferenceSubmitted({ log, metrics }: Telemetry, event: InferenceFacts & { readonly accountId: string }): void {
  metrics.inferencesSubmitted.add([event.model])
  log.info(event, 'inference submitted')
}

/** A worker has started an attempt. */
export function inferenceClaimed(
  { log, metrics }: Telemetry,
  event: InferenceFacts & { readonly attempt: number; readonly queuedMs: number },
): void {
  metrics.inferencesClaimed.add([event.model])
  metrics.queueSeconds.observe([event.model], event.queuedMs / 1000)
  log.info(event, 'inference claimed')
}

/** A request was completed. */
export function inferenceCompleted(
  { log, metrics }: Telemetry,
  event: InferenceFacts & {
    readonly attempt: number
    readonly outcome: Outcome
    readonly code: string | null
    readonly durationMs: number
  },
): void {
  metrics.inferencesCompleted.add([event.model, event.outcome])
  log[event.outcome === 'failed' ? 'warn' : 'info'](event, 'inference completed')
}

/** A worker returned a result after losing its lease; the result is discarded. */
export function resultFenced({ log }: Telemetry, event: { readonly inferenceId: string; readonly attempt: number }): void {
  log.warn(event, 'result of a lost attempt refused')
}

/** @param event.reason A fixed word: `drain`, `lost` or `no-room`. */
export function inferenceRequeued(
  { log, metrics }: Telemetry,
  event: InferenceFacts & { readonly attempt: number; readonly reason: string },
): void {
  metrics.inferencesRequeued.add([event.reason])
  log.warn(event, 'inference requeued')
}

/** The periodic sweep has requeued or failed inferences. */
export function queueSwept({ log, metrics }: Telemetry, { requeued, failed }: SweepReport): void {
  metrics.inferencesRequeued.add(['lease'], requeued)
  log.warn({ requeued, failed }, 'queue swept')
}

/** Adds a gauge for the age of the oldest waiting request; empty while unknown. */
export function observeQueue({ metrics }: Telemetry, ageMs: () => number | null): void {
  const help = 'Age of the oldest waiting asynchronous request on all nodes; 0 when none waits.'
  metrics.registry.gauge({ name: 'sepia_queue_oldest_pending_seconds', help, labels: [] }, () => {
    const age = ageMs()
    return age === null ? [] : [[[], age / 1000]]
  })
}

/** Outputs and records past their retention were deleted. */
export function outputsExpired({ log, metrics }: Telemetry, { outputs, deletedRecords }: ExpiryReport): void {
  metrics.outputsDeleted.add([], outputs.length)
  log.debug({ outputs: outputs.length, deletedRecords }, 'outputs and records expired')
}

/** Records the events of running work: phases become spans of the current trace, and all update the metrics. */
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

/** The counters of this process for other nodes. */
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
