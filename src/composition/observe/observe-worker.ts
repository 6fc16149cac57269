import { inferenceClaimed, inferenceCompleted, inferenceRequeued, resultFenced } from '../../telemetry/inference-events.ts'
import { workFinished } from '../../telemetry/request-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import type { WorkerDependencies, WorkerEvent } from '../../worker/worker-dependencies.ts'

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

/** Runs each claim in the trace that its request came in, from the moment in which that was stored; the span of one that fails has failed. */
export function traceClaims(telemetry: Telemetry): NonNullable<WorkerDependencies['trace']> {
  const { traces } = telemetry
  return ({ inference: { id, model, attempt, createdAt, startedAt } }, { kind, traceparent }, run) => {
    const attributes = { 'sepia.inference_id': id, 'sepia.model': model, 'sepia.attempt': attempt }
    return traces.within(`run ${kind}`, { kind: 'consumer', traceparent, attributes }, async () => {
      if (startedAt !== null) traces.record('queue', { startedAt: createdAt, endedAt: startedAt, attributes: { 'sepia.model': model } })
      await run()
    })
  }
}
