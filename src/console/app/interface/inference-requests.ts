import type { Inference, InferenceStatus } from '../../../core/inference.ts'
import type { InferencePage } from '../../../core/ports/inference-log.ts'
import { request, send } from './request.ts'

interface ListQuery {
  readonly status: InferenceStatus | null
  readonly after: string | null
}

export function listInferences(query: ListQuery, signal?: AbortSignal): Promise<InferencePage> {
  const parameters = new URLSearchParams({ limit: '50' })
  if (query.status) parameters.set('status', query.status)
  if (query.after) parameters.set('after', query.after)
  return request<InferencePage>(`/console/api/requests?${parameters}`, { signal })
}

export async function findInference(id: string, signal?: AbortSignal): Promise<Inference> {
  const { inference } = await request<{ inference: Inference }>(`/console/api/requests/${encodeURIComponent(id)}`, { signal })
  return inference
}

/** Stops a request: at once while it waits, at its next step while it runs. */
export async function cancelInference(id: string): Promise<void> {
  await send(`/v1/requests/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
