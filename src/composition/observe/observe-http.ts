import type { HttpObserver } from '../../http/http-observer.ts'
import { promptLogged, requestFinished, workFinished } from '../../telemetry/request-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'

/** Tells the log and the metrics what happens at the public interface. */
export function observeHttp(telemetry: Telemetry): HttpObserver {
  return {
    requestFinished: (request) => requestFinished(telemetry, request),
    workFinished: (entry) => workFinished(telemetry, entry),
    faultSurvived: ({ requestId, error }) => faultSurvived(telemetry, { where: 'http', requestId }, error),
    promptLogged: (entry) => promptLogged(telemetry, entry),
  }
}
