import Type from 'typebox'
import { toErrorRecord } from '../../../core/error.ts'
import type { Inference, Progress } from '../../../core/inference.ts'
import type { ServiceAddresses } from '../../../core/service-addresses.ts'
import type { InferenceUpdate } from '../../../operations/deferred/inferences.ts'
import { toErrorObject } from '../../faults/error-body.ts'
import { optional } from '../../faults/object-schema.ts'
import type { Answer } from '../answer.ts'
import { encodePart } from '../chat/chat-stream.ts'
import { encodeNamedEvent } from '../event-data.ts'
import { toBase64 } from '../images/image-result.ts'

const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description })

/** An error, in refusals and in failed requests. */
const errorObjectSchema = Type.Object({
  message: Type.String({ description: 'One sentence that says what to change.' }),
  type: Type.String(),
  param: Type.Union([Type.String(), Type.Null()]),
  code: Type.String({ description: 'Stable; the list is in docs/errors.md.' }),
})

/** The body of every error. */
export const errorBodySchema = Type.Object({
  error: errorObjectSchema,
  detail: Type.Optional(
    Type.Array(Type.Object({ loc: Type.Array(Type.Union([Type.String(), Type.Integer()])), msg: Type.String(), type: Type.String() }), {
      description: 'On 422 only: one entry per fault.',
    }),
  ),
})

/** The answer to a submission. */
export const submissionSchema = Type.Object({
  response_id: Type.String(),
  poll_url: Type.String({ format: 'uri' }),
})

/** The state of a deferred request. */
export const inferenceSchema = Type.Object({
  response_id: Type.String(),
  status: Type.Enum(['pending', 'running', 'completed']),
  poll_url: Type.String({ format: 'uri' }),
  ...optional({
    response_url: Type.String({ format: 'uri', description: 'Exactly when completed.' }),
    outcome: Type.Enum(['succeeded', 'failed', 'cancelled'], { description: 'Exactly when completed.' }),
    error: errorObjectSchema,
    partial_output: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'What a failed text request had written: the object of its route, with a `finish_reason` of null for unfinished choices. Until `expires_at`, when polled and in events.',
      },
    ),
    queue_position: Type.Integer({ minimum: 1, description: 'When pending; 1 = next.' }),
    progress: Type.Object({ step: Type.Integer(), total: Type.Integer() }),
  }),
  model: Type.String(),
  attempt: Type.Integer({ minimum: 0 }),
  created_at: time('ISO 8601.'),
  started_at: time('Start of the present attempt.'),
  completed_at: time('Null before completion.'),
  expires_at: time('When the output is deleted; null before completion.'),
})

/** Answer of GET /v1/requests. */
export const inferenceListSchema = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(inferenceSchema),
  has_more: Type.Boolean(),
  next: Type.Union([Type.String(), Type.Null()], { description: 'Pass as `after` for the next page.' }),
})

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

/**
 * The answer to a poll: the contract's fields and additional ones. Times are ISO 8601 in UTC.
 *
 * @param written What a failed text request had written, as stored; null = nothing.
 */
export function encodeInference(
  address: AsyncAddress,
  inference: Inference,
  written: string | null = null,
): Answer<typeof inferenceSchema> {
  const { id, status, outcome, error, queuePosition } = inference
  return {
    response_id: id,
    status,
    poll_url: pollUrl(address, id),
    response_url: status === 'completed' ? `${address.asyncUrl}/v1/responses/${id}` : undefined,
    outcome: outcome ?? undefined,
    error: outcome === 'failed' && error !== null ? toErrorObject(error) : undefined,
    partial_output: written === null ? undefined : JSON.parse(written),
    queue_position: status === 'pending' && queuePosition !== null ? queuePosition : undefined,
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
 *
 * @param readWritten Reads what a failed request had written; absent = nothing.
 */
export async function* encodeInferenceStream(
  address: AsyncAddress,
  updates: AsyncIterable<InferenceUpdate>,
  readWritten: (inference: Inference) => Promise<string | null> = async () => null,
): AsyncGenerator<string, void, undefined> {
  try {
    for await (const update of updates)
      yield update.type === 'inference'
        ? encodeNamedEvent('status', encodeInference(address, update.inference, await readWritten(update.inference)))
        : encodeUpdate(update)
  } catch (error) {
    yield encodeNamedEvent('error', { error: toErrorObject(toErrorRecord(error)) })
    throw error
  }
}

function encodeUpdate(update: Exclude<InferenceUpdate, { readonly type: 'inference' }>): string {
  if (update.type === 'progress') return encodeNamedEvent('progress', { step: update.progress.step, total: update.progress.total })
  if (update.type === 'text') return update.parts.map((part) => encodeNamedEvent('text', encodePart(part))).join('')
  return encodeNamedEvent('preview', { image_b64: toBase64(update.image) })
}
