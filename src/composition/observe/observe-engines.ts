import type { EngineEvent } from '../../runtimes/process/engine-event.ts'
import { engineExited, engineOutput, engineStarted, tokensGuessed } from '../../telemetry/model-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** Tells the log what happens to engine processes. */
export function observeEngines(telemetry: Telemetry): (event: EngineEvent) => void {
  return (event) => {
    if (event.type === 'output') engineOutput(telemetry, event)
    else if (event.type === 'started') engineStarted(telemetry, event)
    else if (event.type === 'guessed') tokensGuessed(telemetry, event)
    else engineExited(telemetry, event)
  }
}
