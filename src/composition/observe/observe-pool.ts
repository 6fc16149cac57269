import type { PoolEvent } from '../../residency/pool-event.ts'
import { modelCrashed, modelLoaded, modelUnloaded, requestRefused } from '../../telemetry/model-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** Tells the log and the metrics what the pool does with models. */
export function observePool(telemetry: Telemetry): (event: PoolEvent) => void {
  return (event) => {
    const { modelId } = event
    if (event.type === 'loaded') modelLoaded(telemetry, { modelId, loadMs: event.loadMs, device: event.device })
    else if (event.type === 'unloaded') modelUnloaded(telemetry, { modelId, reason: event.reason })
    else if (event.type === 'crashed') modelCrashed(telemetry, { modelId, reason: event.reason })
    else if (event.type === 'load-failed') faultSurvived(telemetry, { where: `loading ${modelId}` }, event.error)
    else requestRefused(telemetry, { modelId, because: event.because })
  }
}
