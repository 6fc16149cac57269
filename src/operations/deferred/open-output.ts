import { fromErrorRecord, ServiceError } from '../../core/error.ts'
import type { OutputReference } from '../../core/inference.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { OutputStore } from '../../core/ports/output-store.ts'
import { type InferenceTarget, requestNotFound } from './find-inference.ts'

export interface OpenedOutput extends OutputReference {
  readonly content: Uint8Array
  /** Unix milliseconds; the content is gone from then on. */
  readonly expiresAt: number
}

/**
 * Reads the stored output of one of the account's own inferences; the same bytes every time.
 *
 * @throws {ServiceError} `request_not_found`; `not_completed`; `response_expired` after 24 hours; the inference's own
 *   error when it failed or was cancelled; `internal_error` when the stored bytes are damaged.
 */
export async function openOutput(
  { log, outputs, clock }: { readonly log: InferenceLog; readonly outputs: OutputStore; readonly clock: Clock },
  { id, accountId }: InferenceTarget,
  options: { readonly signal: AbortSignal },
): Promise<OpenedOutput> {
  const inference = await log.find(id, accountId, options)
  if (inference === null) throw requestNotFound()
  const { status, output, error, expiresAt } = inference
  if (status !== 'completed' || expiresAt === null)
    throw new ServiceError('not_completed', 'The request is not completed yet; poll its poll_url first.', { retryAfterSeconds: 1 })
  if (expiresAt <= clock.now())
    throw new ServiceError('response_expired', 'The output was deleted 24 hours after it was stored; send the request again.')
  if (error !== null) throw fromErrorRecord(error)
  if (output === null) throw new Error(`The succeeded inference ${id} has no output.`)
  const content = await outputs.read(output, options)
  return { ...output, content, expiresAt }
}
