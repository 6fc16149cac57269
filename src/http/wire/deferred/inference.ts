import type { Inference, Progress } from '../../../core/inference.ts'
import { toErrorObject } from '../../faults/error-body.ts'
import type { Answer } from '../answer.ts'
import type { ServiceAddresses } from '../service-addresses.ts'
import type { inferenceSchema, submissionSchema } from './inference-answers.ts'

/** What the routes about deferred requests need to print links. */
export type AsyncAddress = Pick<ServiceAddresses, 'asyncUrl'>

/** Where to ask how a request stands. */
export function pollUrl({ asyncUrl }: AsyncAddress, id: string): string {
  return `${asyncUrl}/v1/requests/${id}`
}

/** The answer to a submission, exactly as the contract has it. */
export function encodeSubmission(address: AsyncAddress, { id }: Inference): Answer<typeof submissionSchema> {
  return { response_id: id, poll_url: pollUrl(address, id) }
}

/** The answer to a poll; fields beyond the contract's are additions. Times are ISO 8601 in UTC. */
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

/** The announcement of a completed inference, in the form of Standard Webhooks: its type, when it happened, and the poll body. */
export function encodeWebhook(address: AsyncAddress, inference: Inference, at: number): string {
  return JSON.stringify({ type: 'inference.completed', timestamp: new Date(at).toISOString(), data: encodeInference(address, inference) })
}

/** Progress is written now and then. A picture that succeeded took every step; of a chat nobody knows more than a bound of its tokens. */
function progressOf({ kind, outcome, progress }: Inference): { readonly progress?: Progress } {
  if (progress === null || (outcome === 'succeeded' && kind === 'chat')) return {}
  return { progress: { step: outcome === 'succeeded' ? progress.total : progress.step, total: progress.total } }
}

function printTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
