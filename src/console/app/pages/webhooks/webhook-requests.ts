import type { Webhooks } from '../../../contract/webhooks.ts'
import { request, send } from '../../interface/request.ts'

/** The signing secrets and the latest deliveries. */
export function loadWebhooks(signal?: AbortSignal): Promise<Webhooks> {
  return request<Webhooks>('/console/api/webhooks', { signal })
}

/** Creates a new signing secret. */
export async function rotateSecret(): Promise<void> {
  await send('/console/api/webhooks/rotate', { method: 'POST' })
}
