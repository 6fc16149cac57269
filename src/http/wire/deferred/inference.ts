import type { Inference } from '../../../core/inference.ts'
import type { ServiceAddresses } from '../../service-addresses.ts'
import type { Answer } from '../answer.ts'
import { toErrorObject } from '../faults/error-body.ts'
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
  const { id, status, outcome, error, queuePosition, progress } = inference
  return {
    response_id: id,
    status,
    poll_url: pollUrl(address, id),
    ...(status === 'completed' && { response_url: `${address.asyncUrl}/v1/responses/${id}` }),
    ...(outcome !== null && { outcome }),
    ...(outcome === 'failed' && error !== null && { error: toErrorObject(error) }),
    ...(status === 'pending' && queuePosition !== null && { queue_position: queuePosition }),
    // Progress is written now and then, and what succeeded took every step.
    ...(progress !== null && { progress: { step: outcome === 'succeeded' ? progress.total : progress.step, total: progress.total } }),
    model: inference.model,
    attempt: inference.attempt,
    created_at: printTime(inference.createdAt),
    started_at: printTime(inference.startedAt),
    completed_at: printTime(inference.completedAt),
    expires_at: printTime(inference.expiresAt),
  }
}

function printTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
