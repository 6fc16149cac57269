import type { Inference } from '../../../core/inference.ts'
import type { RequestBodies } from '../../contract/request-logs.ts'
import type { RequestCall, RequestPage, RequestQuery, RequestShown } from '../../contract/requests.ts'
import { request, send } from './request.ts'

/** One page of requests, newest first. */
export function listRequests(query: RequestQuery, signal?: AbortSignal): Promise<RequestPage> {
  const said = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== null && entry[1] !== '')
  return request<RequestPage>(`/console/api/requests?${new URLSearchParams([['limit', '50'], ...said])}`, { signal })
}

/**
 * One request with its body.
 *
 * @throws {RequestFailure} `not_found` when it does not exist or belongs to another account.
 */
export function showRequest(id: string, signal?: AbortSignal): Promise<RequestShown> {
  return request<RequestShown>(`/console/api/requests/${encodeURIComponent(id)}`, { signal })
}

/**
 * The state of an asynchronous request.
 *
 * @throws {RequestFailure} as {@link showRequest}.
 */
export async function findInference(id: string, signal?: AbortSignal): Promise<Inference> {
  const { inference } = await showRequest(id, signal)
  if (inference === null) throw new TypeError(id)
  return inference
}

/** The logged bodies of a request. Each view is recorded in the audit log. */
export function showBodies(id: string, signal?: AbortSignal): Promise<RequestBodies> {
  return request<RequestBodies>(bodiesPath(id), { signal })
}

/** The path of a request's logged bodies; each has its own id below. */
export function bodiesPath(id: string): string {
  return `/console/api/requests/${encodeURIComponent(id)}/bodies`
}

/** Whether a route supports asynchronous requests. */
export function isDeferrable({ path }: Pick<RequestCall, 'path'>): boolean {
  return /^\/(generate\/|upscaling$|(v1\/)?chat\/completions$)/.test(path)
}

/**
 * Sends a request again, asynchronously.
 *
 * @param key Identifies it: repeated with the same key, it runs once.
 * @returns The new request's id.
 */
export async function runAgain({ path, body }: RequestCall, key: string): Promise<string> {
  const headers = { 'x-service-async': '1', 'idempotency-key': key }
  const { response_id, id } = await request<{ response_id?: string; id?: string }>(path, { method: 'POST', body, headers })
  return response_id ?? id ?? ''
}

/** Cancels a request: a waiting one at once, a running one at its next step. */
export async function cancelInference(id: string): Promise<void> {
  await send(`/v1/requests/${encodeURIComponent(id)}`, { method: 'DELETE' })
}
