import type { ErrorRecord } from '../../core/error.ts'
import type { BatchEndpoint } from '../../core/files/batch.ts'
import type { Inference, InferenceWork } from '../../core/inference.ts'
import type { AccountStore } from '../../core/ports/account-store.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { InferenceLog } from '../../core/ports/inference-log.ts'
import type { InferenceEvents } from '../../operations/deferred/inference-events.ts'
import type { SubmitDependencies } from '../../operations/deferred/submit-inference.ts'
import type { FileDependencies } from '../../operations/files/file-documents.ts'

/** One line of a batch as its owner wrote it. */
export interface BatchLine {
  readonly customId: string
  readonly body: unknown
}

/** How lines are read and results written; the public interface knows. */
export interface BatchWords {
  /** @throws {ServiceError} naming what is wrong with a line. */
  readLine(bytes: Buffer<ArrayBuffer>, endpoint: BatchEndpoint): BatchLine
  /** The work of a line's body and the bytes that its output may take. @throws {ServiceError} what the endpoint refuses it with. */
  readWork(
    body: unknown,
    batch: { readonly endpoint: BatchEndpoint; readonly accountId: string },
  ): { readonly work: InferenceWork; readonly outputBytes: number }
  /** What the endpoint answers to a line's body, made of the stored output of its work. */
  encodeAnswer(body: unknown, endpoint: BatchEndpoint, output: Buffer): Buffer
  /** The status and body that an endpoint answers a failure with. */
  encodeFailure(error: ErrorRecord): { readonly status: number; readonly body: object }
}

/** What going on with batches needs. */
export interface BatchDependencies extends FileDependencies, SubmitDependencies {
  readonly clock: Clock
  readonly log: InferenceLog
  readonly events: InferenceEvents
  readonly accounts: AccountStore
  readonly batchWords: BatchWords
  /** Told of each line that enters the queue, for the request log; absent = nobody asks. */
  readonly onLine?: (inference: Inference, call: { readonly path: string; readonly body: unknown }) => void
}
