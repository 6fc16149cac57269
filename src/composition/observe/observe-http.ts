import type { WorkEvent } from '../../core/work-event.ts'
import type { FinishedRequest, HttpObserver } from '../../http/http-observer.ts'
import type { OpenSpan } from '../../telemetry/otlp/traces.ts'
import { promptLogged, requestFinished, workFinished } from '../../telemetry/request-events.ts'
import { faultSurvived } from '../../telemetry/service-events.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { workWatched } from '../../telemetry/work-events.ts'

/** Tells the log and the metrics what happens at the public interface. */
export function observeHttp(telemetry: Telemetry): HttpObserver {
  const { traces } = telemetry
  return {
    requestStarted({ method, traceparent }) {
      if (traceparent === undefined && !traces.begins) return undefined
      const { run, end } = traces.enter(method, { kind: 'server', traceparent })
      return { enter: run, end: (finished) => end(describe(finished)) }
    },
    watchWork: () => traces.bind((event: WorkEvent) => workWatched(telemetry, event)),
    traceparent: () => traces.traceparent(),
    requestFinished: (request) => requestFinished(telemetry, request),
    workFinished: (entry) => workFinished(telemetry, entry),
    faultSurvived: ({ requestId, error }) => faultSurvived(telemetry, { where: 'http', requestId }, error),
    promptLogged: (entry) => promptLogged(telemetry, entry),
  }
}

function describe({ method, route, status, requestId }: FinishedRequest): Parameters<OpenSpan['end']>[0] {
  return {
    name: `${method} ${route}`,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'sepia.request_id': requestId,
    },
    failed: status >= 500,
  }
}
