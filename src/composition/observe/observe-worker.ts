import { inferenceClaimed, inferenceCompleted, inferenceRequeued, resultFenced } from '../../telemetry/inference-events.ts'
import { workFinished } from '../../telemetry/request-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { WorkerEvent } from '../../worker/worker-dependencies.ts'

/** Tells the log and the metrics what the worker does. */
export function observeWorker(telemetry: Telemetry): (event: WorkerEvent) => void {
  return (event) => {
    if (event.type === 'fault') return faultSurvived(telemetry, { where: event.duty }, event.error)
    const { id: inferenceId, model, attempt } = event.inference
    if (event.type === 'claimed') inferenceClaimed(telemetry, { inferenceId, model, attempt, queuedMs: event.queuedMs })
    else if (event.type === 'requeued') inferenceRequeued(telemetry, { inferenceId, model, attempt, reason: event.reason })
    else if (event.type === 'fenced') resultFenced(telemetry, { inferenceId, attempt })
    else {
      const { completion, usage } = event
      const code = completion.outcome === 'succeeded' ? null : completion.error.code
      inferenceCompleted(telemetry, { inferenceId, model, attempt, outcome: completion.outcome, code, durationMs: usage.durationMs })
      workFinished(telemetry, usage)
    }
  }
}
