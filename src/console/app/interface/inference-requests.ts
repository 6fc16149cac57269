import type { Inference } from '../../../core/inference.ts'
import type { RequestBodies } from '../../contract/request-logs.ts'
import type { RequestCall, RequestPage, RequestQuery, RequestShown } from '../../contract/requests.ts'
import { request, send } from './request.ts'

/** One page of requests, newest first. */
export function listRequests(query: RequestQuery, signal?: AbortSignal): Promise<RequestPage> {
  const said = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== '')
  return request<RequestPage>(`/console/api/requests?${new URLSearchParams([['limit', '50'], ...said])}`, { signal })
}

/** One request with what was asked. @throws {RequestFailure} `not_found` when it is gone or not for one's eyes. */
export function showRequest(id: string, signal?: AbortSignal): Promise<RequestShown> {
  return request<RequestShown>(`/console/api/requests/${encodeURIComponent(id)}`, { signal })
}

/** How one asynchronous request stands. @throws {RequestFailure} as {@link showRequest}. */
export async function findInference(id: string, signal?: AbortSignal): Promise<Inference> {
  const { inference } = await showRequest(id, signal)
  if (inference === null) throw new TypeError(id)
  return inference
}

/** What the request log has of a request; that somebody looked is written down. */
export function showBodies(id: string, signal?: AbortSignal): Promise<RequestBodies> {
  return request<RequestBodies>(bodiesPath(id), { signal })
}

/** Where the bodies of a request lie, each under its own id. */
export function bodiesPath(id: string): string {
  return `/console/api/requests/${encodeURIComponent(id)}/bodies`
}

/** Whether a route takes asynchronous requests. */
export function isDeferrable({ path }: Pick<RequestCall, 'path'>): boolean {
  return /^\/(generate\/|upscaling$|(v1\/)?chat\/completions$)/.test(path)
}

/**
 * Asks for something again, asynchronously. Returns the new request's id.
 *
 * @param key By which the service knows it again: however often it is asked with one, it runs once.
 */
export async function runAgain({ path, body }: RequestCall, key: string): Promise<string> {
  const headers = { 'x-service-async': '1', 'idempotency-key': key }
  const { response_id, id } = await request<{ response_id?: string; id?: string }>(path, { method: 'POST', body, headers })
  return response_id ?? id ?? ''
}

/** Stops a request: at once while it waits, at its next step while it runs. */
export async function cancelInference(id: string): Promise<void> {
  await send(`/v1/requests/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
