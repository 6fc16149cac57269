import { toErrorRecord } from '../../../core/error.ts'
import type { Inference, Progress } from '../../../core/inference.ts'
import type { InferenceUpdate } from '../../../operations/deferred/inferences.ts'
import { toErrorObject } from '../../faults/error-body.ts'
import type { Answer } from '../answer.ts'
import { encodePart } from '../chat/chat-stream.ts'
import { encodeNamedEvent } from '../event-data.ts'
import { toBase64 } from '../images/image-result.ts'
import type { ServiceAddresses } from '../service-addresses.ts'
import type { inferenceSchema, submissionSchema } from './inference-answers.ts'

/** The address that links to deferred requests begin with. */
export type AsyncAddress = Pick<ServiceAddresses, 'asyncUrl'>

/** The address to poll a request at. */
export function pollUrl({ asyncUrl }: AsyncAddress, id: string): string {
  return `${asyncUrl}/v1/requests/${id}`
}

/** The answer to a submission, as the contract defines it. */
export function encodeSubmission(address: AsyncAddress, { id }: Inference): Answer<typeof submissionSchema> {
  return { response_id: id, poll_url: pollUrl(address, id) }
}

/** The answer to a poll: the contract's fields and additional ones. Times are ISO 8601 in UTC. */
export function encodeInference(address: AsyncAddress, inference: Inference): Answer<typeof inferenceSchema> {
  const { id, status, outcome, error, queuePosition } = inference
  return {
    response_id: id,
    status,
    poll_url: pollUrl(address, id),
    ...(status === 'completed' && { response_url: `${address.asyncUrl}/v1/responses/${id}` }),
    ...(outcome !== null && { outcome }),
    ...(outcome === 'failed' && error !== null && { error: toErrorObject(error) }),
    ...(status === 'pending' && queuePosition !== null && { queue_position: queuePosition }),
    ...progressOf(inference),
    model: inference.model,
    attempt: inference.attempt,
    created_at: printTime(inference.createdAt),
    started_at: printTime(inference.startedAt),
    completed_at: printTime(inference.completedAt),
    expires_at: printTime(inference.expiresAt),
  }
}

/** A webhook's payload for a completed inference in Standard Webhooks' format: type, time and poll body. */
export function encodeWebhook(address: AsyncAddress, inference: Inference, at: number): string {
  return JSON.stringify({ type: 'inference.completed', timestamp: new Date(at).toISOString(), data: encodeInference(address, inference) })
}

/**
 * Progress is stored only at intervals, so a successful picture is reported with all steps. For a chat, only an upper bound of its tokens is
 * known.
 */
function progressOf({ kind, outcome, progress }: Inference): { readonly progress?: Progress } {
  if (progress === null || (outcome === 'succeeded' && kind === 'chat')) return {}
  return { progress: { step: outcome === 'succeeded' ? progress.total : progress.step, total: progress.total } }
}

function printTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/**
 * Encodes the progress of a deferred request as named server-sent events: `status`, `progress`, `preview`, `text`, and `error` after a
 * failure.
 */
export async function* encodeInferenceStream(
  address: AsyncAddress,
  updates: AsyncIterable<InferenceUpdate>,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const update of updates) yield encodeUpdate(address, update)
  } catch (error) {
    yield encodeNamedEvent('error', { error: toErrorObject(toErrorRecord(error)) })
    throw error
  }
}

function encodeUpdate(address: AsyncAddress, update: InferenceUpdate): string {
  if (update.type === 'inference') return encodeNamedEvent('status', encodeInference(address, update.inference))
  if (update.type === 'progress') return encodeNamedEvent('progress', { step: update.progress.step, total: update.progress.total })
  if (update.type === 'text') return update.parts.map((part) => encodeNamedEvent('text', encodePart(part))).join('')
  return encodeNamedEvent('preview', { image_b64: toBase64(update.image) })
}
