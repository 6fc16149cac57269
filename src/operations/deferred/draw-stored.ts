import type { Caller } from '../../core/access-token.ts'
import { ServiceError } from '../../core/error.ts'
import type { ImageRequest } from '../../core/image-generation.ts'
import type { Store } from '../../core/ports/store.ts'
import { type Abortable, neverAborted } from '../../core/waiting.ts'
import { type InferenceEvents, rereadMs } from './inference-events.ts'
import { cancelInference, findInference, waitForInference } from './inferences.ts'
import { type FoundOutput, findOutput } from './outputs.ts'
import { type SubmitDependencies, submitInference } from './submit-inference.ts'

/** Dependencies of drawing into the store. */
export interface DrawStoredDependencies extends SubmitDependencies, Pick<Store, 'log' | 'clock'> {
  readonly events: InferenceEvents
}

/**
 * Draws the images of a request through the queue while its caller waits, so that they are stored. If the caller leaves, the work is
 * cancelled.
 *
 * @throws {ServiceError} the errors of submitting and of the work, `shutting_down` if the service stops first.
 */
export async function drawStored(
  deps: DrawStoredDependencies,
  { caller, request, outputBytes }: { readonly caller: Caller; readonly request: ImageRequest; readonly outputBytes: number },
  options: Abortable,
): Promise<FoundOutput & { readonly id: string }> {
  const { accountId, tokenId } = caller
  const submission = {
    accountId,
    tokenId,
    traceparent: null,
    work: { kind: 'image', request },
    priority: 'normal',
    idempotency: null,
    webhookUrl: null,
    outputBytes,
  } as const
  const { inference } = await submitInference(deps, submission, options)
  const target = { id: inference.id, accountId }
  try {
    let { status } = await waitForInference(deps, { ...target, waitMs: Number.POSITIVE_INFINITY }, options)
    // A stopping node requeues its own work before it ends the wait, so that running work is another node's, which may finish it in time.
    while (status === 'running') {
      await deps.clock.wait(rereadMs, options)
      status = (await findInference(deps, target, options)).status
    }
    if (status !== 'completed')
      throw new ServiceError('shutting_down', 'The service is restarting; send the request again shortly.', { retryAfterSeconds: 5 })
    return { id: inference.id, ...(await findOutput(deps, target, options)) }
  } catch (error) {
    // No other client knows it; a completed one is not changed.
    await cancelInference(deps, target, neverAborted)
    throw error
  }
}
