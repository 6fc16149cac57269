import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../core/error.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import { submitInference } from '../../operations/deferred/submit-inference.ts'
import { requestedWork } from '../../operations/requests/request-recorder.ts'
import { receivedBody } from '../body/read-body.ts'
import { logAsInference } from '../body-log.ts'
import { callerOf } from '../caller.ts'
import { clientSignal } from '../client-signal.ts'
import type { AsyncMode } from '../headers/async-mode.ts'
import type { DeferredHandling } from '../headers/deferred-headers.ts'
import type { HttpDependencies, RouteDependencies } from '../http-dependencies.ts'
import { encodeSubmission, pollUrl } from '../wire/deferred/inference.ts'
import { expectOutputBytes } from '../wire/deferred/output-size.ts'

interface AcceptedWork {
  readonly work: InferenceWork
  readonly handling: DeferredHandling
  /** Runs before the answer; returns additional headers. */
  readonly onAccepted?: (inference: Inference) => Promise<Readonly<Record<string, string>>>
}

/** Queues work durably and answers 202 with the address to poll. */
export async function answerDeferred(
  deps: RouteDependencies,
  { incoming, reply, mode }: { readonly incoming: FastifyRequest; readonly reply: FastifyReply; readonly mode: AsyncMode },
  { work, handling, onAccepted }: AcceptedWork,
): Promise<FastifyReply> {
  const { priority, idempotency, webhookUrl } = handling
  const { accountId, tokenId } = callerOf(incoming)
  const traceparent = deps.observer.traceparent?.() ?? null
  const submission = { accountId, tokenId, traceparent, work, priority, idempotency, webhookUrl, outputBytes: expectOutputBytes(work) }
  const inference = await deps.deadline.keep(reply, async () => {
    const submitted = await submitInference(deps, submission, { signal: clientSignal(reply) }).catch(nameHeader)
    if (!submitted.repeated) recordDeferred(deps, { incoming, tokenId, work, inference: submitted.inference })
    return submitted.inference
  })
  const headers = await onAccepted?.(inference)
  const address = deps.addresses()
  if (mode === 'preference') reply.header('preference-applied', 'respond-async')
  return reply
    .headers(headers ?? {})
    .code(202)
    .header('location', pollUrl(address, inference.id))
    .send(encodeSubmission(address, inference))
}

/** Adds the header's name to the conflict that the store reports. */
function nameHeader(error: unknown): never {
  if (!(error instanceof ServiceError) || error.code !== 'idempotency_conflict') throw error
  throw new ServiceError(error.code, error.message, { param: 'idempotency-key' })
}

/** Records an asynchronous request in a form that can be sent again. */
export function recordDeferred(
  { recordRequest }: Pick<HttpDependencies, 'recordRequest'>,
  requested: {
    readonly incoming: FastifyRequest
    readonly tokenId: string | null
    readonly work: InferenceWork
    readonly inference: Inference
  },
): void {
  const { incoming, tokenId, work, inference } = requested
  const { id, accountId, kind, model, createdAt: at } = inference
  const path = incoming.routeOptions.url ?? incoming.url
  const call = { path, body: receivedBody(incoming).value }
  logAsInference(incoming, id)
  recordRequest({ id, accountId, tokenId, kind, model, at, requested: requestedWork(work, call), result: null })
}
