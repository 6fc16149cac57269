import type { FinishedRequest } from '../core/requests/request-record.ts'
import type { UsageEntry } from '../core/usage.ts'
import type { Telemetry } from './telemetry.ts'

/** An HTTP request was answered, or its client disconnected (status 499). */
export function requestFinished({ log, metrics }: Telemetry, request: FinishedRequest): void {
  const { method, route, status } = request
  const durationMs = Math.round(request.durationMs * 10) / 10
  metrics.requests.add([method, route, String(status)])
  metrics.requestSeconds.observe([method, route], durationMs / 1000)
  // The console polls about every second, and mostly nothing has changed.
  const isEmptyPoll = method === 'GET' && status === 204
  log[status >= 500 ? 'warn' : isEmptyPoll ? 'debug' : 'info']({ ...request, durationMs }, 'request finished')
}

/** A caller requested logging of its own prompt, the only way a prompt gets into the log. */
export function promptLogged(
  { log }: Telemetry,
  entry: { readonly requestId: string; readonly accountId: string; readonly prompt: string },
): void {
  log.info(entry, 'prompt logged at its caller’s request')
}

/** Work on a model has ended and its usage is recorded. */
export function workFinished({ log, metrics }: Telemetry, entry: UsageEntry): void {
  const { model, kind, outcome, promptTokens, completionTokens, images, durationMs, accountId } = entry
  metrics.tokens.add([model, 'prompt'], promptTokens)
  metrics.tokens.add([model, 'completion'], completionTokens)
  metrics.images.add([model], images)
  metrics.workSeconds.observe([model, kind, outcome], durationMs / 1000)
  log.info({ model, kind, outcome, promptTokens, completionTokens, images, durationMs, accountId }, 'work finished')
}
