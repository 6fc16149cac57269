import { printableLine } from '../printed-text.ts'
import type { ReportProgress } from '../progress-bar.ts'
import type { ServiceClient } from './service-client.ts'

/** An asynchronous request in the API, reduced to the fields in use. */
export interface ShownRequest {
  readonly response_id: string
  readonly status: 'pending' | 'running' | 'completed'
  readonly outcome?: 'succeeded' | 'failed' | 'cancelled'
  readonly error?: { readonly message: string }
  readonly queue_position?: number
  readonly progress?: { readonly step: number; readonly total: number }
  readonly model: string
  readonly created_at: string
  readonly started_at: string | null
  readonly completed_at: string | null
  readonly expires_at: string | null
}

/** Its state in the words of the API: `completed`, `running 3/20`, `pending, number 2 in line`. */
export function describeStatus({ status, progress, queue_position: position }: ShownRequest): string {
  if (status === 'running') return progress === undefined ? status : `${status} ${progress.step}/${progress.total}`
  return position === undefined || status === 'completed' ? status : `${status}, number ${position} in line`
}

/** Name and value lines for a request. */
export function describeRequest(request: ShownRequest): string {
  const { response_id: id, model, error, created_at: created, started_at: started, completed_at: completed, expires_at: expires } = request
  const rows: readonly (readonly [string, string | null])[] = [
    ['id', id],
    ['status', describeStatus(request)],
    ['outcome', request.outcome ?? null],
    ['model', model],
    ['error', error?.message ?? null],
    ['created', created],
    ['started', started],
    ['completed', completed],
    ['kept until', expires],
  ]
  return rows.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(10)}  ${printableLine(value)}`])).join('\n')
}

/** Follows a request until it ends. @throws {Error} if the stream ends earlier. */
export async function followRequest(
  service: ServiceClient,
  id: string,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: ReportProgress },
): Promise<ShownRequest> {
  for await (const { name, data } of service.watch(`/v1/requests/${encodeURIComponent(id)}/events`, { signal })) {
    const event = JSON.parse(data)
    if (name === 'progress') onProgress(event.step, event.total)
    if (name === 'error') throw new Error(event.error.message)
    if (name === 'status' && event.status === 'completed') return event
  }
  throw new Error(`The event stream of ${id} ended; continue with sepia request wait ${id}.`)
}
