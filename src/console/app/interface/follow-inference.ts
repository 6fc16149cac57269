import type { InferenceStatus } from '../../../core/inference.ts'
import { readEventStream } from './event-stream.ts'
import { send } from './request.ts'

export type InferenceEvent =
  | { readonly type: 'status'; readonly status: InferenceStatus; readonly queuePosition: number | null }
  | { readonly type: 'progress'; readonly step: number; readonly total: number }
  /** A small picture of the current estimate, as a `data:` URL. */
  | { readonly type: 'preview'; readonly url: string }

/** The three kinds of event data, distinguished by their fields. */
interface EventData {
  readonly status?: InferenceStatus
  readonly queue_position?: number
  readonly progress?: { readonly step: number; readonly total: number }
  readonly step?: number
  readonly total?: number
  readonly image_b64?: string
}

/** Follows a request live until the service ends the stream. */
export async function* followInference(id: string): AsyncGenerator<InferenceEvent, void, undefined> {
  const response = await send(`/v1/requests/${encodeURIComponent(id)}/events`, { headers: { accept: 'text/event-stream' } })
  for await (const { data } of readEventStream(response)) yield* eventsOf(JSON.parse(data) as EventData)
}

function* eventsOf(data: EventData): Generator<InferenceEvent, void, undefined> {
  const progress = data.progress ?? (data.step !== undefined && data.total !== undefined ? { step: data.step, total: data.total } : null)
  if (data.status) yield { type: 'status', status: data.status, queuePosition: data.queue_position ?? null }
  if (progress) yield { type: 'progress', step: progress.step, total: progress.total }
  if (data.image_b64) yield { type: 'preview', url: `data:image/jpeg;base64,${data.image_b64}` }
}
