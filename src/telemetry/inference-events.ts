import type { Outcome } from '../core/inference.ts'
import type { ExpiryReport, SweepReport } from '../core/ports/inference-queue.ts'
import type { Telemetry } from './telemetry.ts'

interface InferenceFacts {
  readonly inferenceId: string
  readonly model: string
}

/** A request is on stable storage. */
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

/** A request has come to its end, one way or the other. */
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

/** A worker that lost its lease came back with a result, which nobody takes. */
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

/** The periodic sweep has moved lost and late inferences on. */
export function queueSwept({ log, metrics }: Telemetry, { requeued, failed }: SweepReport): void {
  metrics.inferencesRequeued.add(['lease'], requeued)
  log.warn({ requeued, failed }, 'queue swept')
}

/** Shows for how long the longest waiting has waited; nothing while that is not known. */
export function observeQueue({ metrics }: Telemetry, ageMs: () => number | null): void {
  const help = 'Age of the oldest waiting asynchronous request on all nodes; 0 when none waits.'
  metrics.registry.gauge({ name: 'sepia_queue_oldest_pending_seconds', help, labels: [] }, () => {
    const age = ageMs()
    return age === null ? [] : [[[], age / 1000]]
  })
}

/** Outputs and records are past their retention and gone. */
export function outputsExpired({ log, metrics }: Telemetry, { outputs, deletedRecords }: ExpiryReport): void {
  metrics.outputsDeleted.add([], outputs.length)
  log.debug({ outputs: outputs.length, deletedRecords }, 'outputs and records expired')
}
