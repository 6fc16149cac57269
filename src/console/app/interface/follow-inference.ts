import type { Inference, InferenceStatus, Outcome } from '../../../core/inference.ts'
import { orAborted } from '../../../core/waiting.ts'
import type { RequestShown } from '../../contract/requests.ts'
import { type ChatChunk, type ChatPart, partsOf } from './chat-parts.ts'
import { readEventStream } from './event-stream.ts'
import { findInference, showRequest } from './inference-requests.ts'
import { isGone, RequestFailure, send } from './request.ts'

export type InferenceEvent =
  | {
      readonly type: 'status'
      readonly status: InferenceStatus
      readonly queuePosition: number | null
      readonly attempt: number
      readonly outcome: Outcome | null
    }
  | { readonly type: 'progress'; readonly step: number; readonly total: number }
  /** A small picture of the current estimate, as a `data:` URL. */
  | { readonly type: 'preview'; readonly url: string }
  /** New text of a chat model. */
  | { readonly type: 'written'; readonly parts: readonly ChatPart[] }

/** All fields of event data; which are present depends on the event. */
interface EventData extends ChatChunk {
  readonly status?: InferenceStatus
  readonly outcome?: Outcome
  readonly attempt?: number
  readonly queue_position?: number
  readonly progress?: { readonly step: number; readonly total: number }
  readonly step?: number
  readonly total?: number
  readonly image_b64?: string
}

/** Follows a request live until the service ends the stream. */
export async function* followInference(id: string, signal?: AbortSignal): AsyncGenerator<InferenceEvent, void, undefined> {
  const response = await send(`/v1/requests/${encodeURIComponent(id)}/events`, { headers: { accept: 'text/event-stream' }, signal })
  for await (const { data } of readEventStream(response)) yield* eventsOf(JSON.parse(data) as EventData)
}

function* eventsOf(data: EventData): Generator<InferenceEvent, void, undefined> {
  const { status, outcome = null, attempt = 0, queue_position: queuePosition = null } = data
  const progress = data.progress ?? (data.step !== undefined && data.total !== undefined ? { step: data.step, total: data.total } : null)
  if (status) yield { type: 'status', status, queuePosition, attempt, outcome }
  if (progress) yield { type: 'progress', step: progress.step, total: progress.total }
  if (data.image_b64) yield { type: 'preview', url: `data:image/jpeg;base64,${data.image_b64}` }
  if (data.choices) yield { type: 'written', parts: partsOf(data) }
}

/** Waits before a lost connection is retried. */
export type Pause = (milliseconds: number) => Promise<void>

const sleep: Pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const longestPauseMs = 10_000

/** A finished request. */
export type EndedInference = Pick<Inference, 'id' | 'outcome' | 'error'>

interface FollowOptions {
  readonly signal?: AbortSignal | undefined
  readonly pause?: Pause
}

/**
 * Follows a request to its end. If the stream breaks off or the service is unavailable for a while, it reconnects and reads the written text
 * from the beginning.
 *
 * @throws {RequestFailure} the service's own errors.
 */
export async function* followToItsEnd(
  id: string,
  { signal, pause = sleep }: FollowOptions = {},
): AsyncGenerator<InferenceEvent | { readonly type: 'begins' | 'connection-lost' }, EndedInference, undefined> {
  for (let failures = 0; ; ) {
    try {
      yield { type: 'begins' }
      for await (const event of followInference(id, signal)) {
        failures = 0
        if (event.type !== 'status' || event.status !== 'completed') yield event
        else if (event.outcome === 'succeeded' || event.outcome === 'cancelled') return { id, outcome: event.outcome, error: null }
        else break
      }
      const inference = await findInference(id, signal)
      if (inference.status === 'completed') return inference
      failures = 0
    } catch (error) {
      if (!isWorthWaiting(error, signal)) throw error
      yield { type: 'connection-lost' }
      await wait(failures++, { signal, pause })
    }
  }
}

interface RetryOptions extends FollowOptions {
  readonly onLost?: () => void
  /** Whether an error ends the attempts; by default, all of the service's own do. */
  readonly isFinal?: (error: unknown) => boolean
}

/**
 * Repeats a request until the service answers.
 *
 * @throws {RequestFailure} the final errors.
 */
export async function retryUntilAnswered<Answer>(
  ask: () => Promise<Answer>,
  { signal, pause = sleep, onLost = () => {}, isFinal = (error) => !isWorthWaiting(error, signal) }: RetryOptions,
): Promise<Answer> {
  for (let failures = 0; ; failures++) {
    try {
      return await ask()
    } catch (error) {
      if (isFinal(error)) throw error
      onLost()
      await wait(failures, { signal, pause })
    }
  }
}

/**
 * Looks up a request, and repeats that until the service answers; null = it was deleted.
 *
 * @throws {RequestFailure} the service's other errors.
 */
export async function showIfKept(id: string): Promise<RequestShown | null> {
  try {
    return await retryUntilAnswered(() => showRequest(id), {})
  } catch (error) {
    if (isGone(error)) return null
    throw error
  }
}

/** Whether an error is only a lost connection. The service's own errors are final. */
function isWorthWaiting(error: unknown, signal: AbortSignal | undefined): boolean {
  return !signal?.aborted && !(error instanceof RequestFailure && !error.isConnectionLost && error.status !== 429)
}

async function wait(
  failures: number,
  { signal, pause }: { readonly signal: AbortSignal | undefined; readonly pause: Pause },
): Promise<void> {
  const paused = pause(Math.min(longestPauseMs, 1000 * 2 ** failures))
  await (signal === undefined ? paused : orAborted(paused, signal))
}
