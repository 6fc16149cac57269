import { randomUUID } from 'node:crypto'
import { makeInferenceId } from '../../core/deferred/inference-id.ts'
import { makePendingInference } from '../../core/deferred/pending-inference.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import type { InferenceSubmission } from '../../core/ports/inference-queue.ts'
import { decodeWork, encodeWork } from '../work-format.ts'

/** One inference with what its record does not show. */
export interface InferenceEntry {
  inference: Inference
  readonly seq: number
  work: InferenceWork | null
  readonly workBytes: number
  /** What the output is expected to take. */
  readonly outputBytes: number
  deadly: number
  failed: number
  notBefore: number
  leaseUntil: number
  cancelRequested: boolean
  outputDeleted: boolean
  idempotency: { readonly key: string; readonly fingerprint: string } | null
  readonly webhookUrl: string | null
  readonly traceparent: string | null
}

/** A pending inference that has just been submitted. */
export function makeEntry(submission: InferenceSubmission, { now, seq }: { readonly now: number; readonly seq: number }): InferenceEntry {
  const { outputBytes = 0, accountId, work, priority, idempotency, webhookUrl } = submission
  const id = submission.id ?? makeInferenceId({ uuid: randomUUID(), accountId, now })
  const inference = makePendingInference({ id, accountId, kind: work.kind, model: work.request.model, priority }, now)
  const encoded = encodeWork(work)
  return {
    inference,
    seq,
    // The caller may go on to change what it handed over.
    work: decodeWork(encoded),
    workBytes: encoded.length,
    outputBytes,
    deadly: 0,
    failed: 0,
    notBefore: 0,
    leaseUntil: 0,
    cancelRequested: false,
    outputDeleted: false,
    idempotency,
    webhookUrl,
    traceparent: work.traceparent ?? null,
  }
}

/** What an entry counts against its account's storage. */
export function storedBytes({ inference, workBytes, outputBytes, outputDeleted }: InferenceEntry): number {
  if (inference.status !== 'completed') return workBytes + outputBytes
  return outputDeleted ? 0 : (inference.output?.bytes ?? 0)
}
