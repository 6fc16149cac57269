import type { EngineEvent } from '../../runtimes/process/engine-event.ts'
import { engineOutput } from '../../telemetry/model-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** Tells the log what happens to engine processes. */
export function observeEngines(telemetry: Telemetry): (event: EngineEvent) => void {
  return (event) => {
    if (event.type === 'output') engineOutput(telemetry, event)
    else telemetry.log.debug(event, `engine ${event.type}`)
  }
}
