import type { Inference } from '../../../core/inference.ts'
import type { RequestPage, RequestQuery, RequestShown } from '../../contract/requests.ts'
import { request, send } from './request.ts'

/** One page of the account's requests, newest first. */
export function listInferences(query: RequestQuery, signal?: AbortSignal): Promise<RequestPage> {
  const parameters = new URLSearchParams({ limit: '50' })
  if (query.status) parameters.set('status', query.status)
  if (query.after) parameters.set('after', query.after)
  return request<RequestPage>(`/console/api/requests?${parameters}`, { signal })
}

/** One request. @throws {RequestFailure} `not_found` when it is somebody else's or gone. */
export async function findInference(id: string, signal?: AbortSignal): Promise<Inference> {
  const { inference } = await request<RequestShown>(`/console/api/requests/${encodeURIComponent(id)}`, { signal })
  return inference
}

/** Stops a request: at once while it waits, at its next step while it runs. */
export async function cancelInference(id: string): Promise<void> {
  await send(`/v1/requests/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
