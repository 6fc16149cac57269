import { accountDisabled } from '../../../core/account.ts'
import { type Inference, outputRetentionMs } from '../../../core/inference.ts'
import type { InferenceSubmission, KeyedSubmission, QueueLimits } from '../../../core/ports/inference-queue.ts'
import { idempotencyConflict, refuseOverLimits } from '../../refuse-submission.ts'
import { readInference, writePriority } from '../../rows/inference-row.ts'
import { readInteger, readIntegerOrNull, readText, readTextOrNull } from '../../rows/row.ts'
import type { Connection } from '../connection.ts'

/** A submission with encoded work. */
export interface EncodedSubmission extends Omit<InferenceSubmission, 'id' | 'work' | 'tokenId'> {
  readonly id: string
  readonly kind: Inference['kind']
  readonly model: string
  readonly body: Uint8Array
  readonly format: number
  readonly limits: QueueLimits
}

/**
 * Adds an inference, or finds the one with the same idempotency key from the last 24 hours.
 *
 * @returns The existing inference; null = added, in which case the submitter knows its record.
 * @throws {ServiceError} `idempotency_conflict`, `server_is_overloaded`, `concurrency_limit_exceeded`, `quota_exceeded`.
 */
export function enqueue(connection: Connection, submission: EncodedSubmission, now: number): Inference | null {
  const earlier = findEarlier(connection, submission, now)
  if (earlier !== null) return earlier
  checkRoom(connection, submission)
  connection.run(
    `insert into inferences (id, account_id, kind, model, priority, work_format, created_at, queued_at, idempotency_key, fingerprint, webhook_url,
       stored_bytes, traceparent)
     values (:id, :accountId, :kind, :model, :priority, :format, :now, :now, :key, :fingerprint, :webhookUrl, :storedBytes, :traceparent)`,
    {
      id: submission.id,
      accountId: submission.accountId,
      kind: submission.kind,
      model: submission.model,
      priority: writePriority(submission.priority),
      format: submission.format,
      now,
      key: submission.idempotency?.key ?? null,
      fingerprint: submission.idempotency?.fingerprint ?? null,
      webhookUrl: submission.webhookUrl,
      traceparent: submission.traceparent,
      storedBytes: submission.body.length + (submission.outputBytes ?? 0),
    },
  )
  connection.run('insert into inference_work (seq, body) values (last_insert_rowid(), :body)', { body: submission.body })
  return null
}

function checkRoom(connection: Connection, { accountId, limits, body, outputBytes = 0 }: EncodedSubmission): void {
  // The token may have been looked up before the account was disabled.
  const row = connection.get(
    `select coalesce(sum(pending), 0) as pending, coalesce(sum(pending) filter (where queue_shares.account_id = :accountId), 0) as own,
       disabled_at, pending_requests, stored_bytes,
       coalesce((select bytes from stored_sums where account_id = :accountId), 0) as bytes
     from (select :accountId as sender) left join accounts on accounts.id = sender left join queue_shares on pending > 0`,
    { accountId },
  )
  if (row === undefined) throw new Error('The sums returned no row.')
  if (row.disabled_at !== null) throw accountDisabled()
  const own = {
    pending: readInteger(row, 'own'),
    mostPending: readIntegerOrNull(row, 'pending_requests'),
    mostBytes: readIntegerOrNull(row, 'stored_bytes'),
  }
  const stored = readInteger(row, 'bytes') + body.length + outputBytes
  const refusal = refuseOverLimits({ pending: readInteger(row, 'pending'), own, stored }, limits)
  if (refusal !== null) throw refusal
}

/**
 * Finds the inference with the same idempotency key from the last 24 hours.
 *
 * @throws {ServiceError} `idempotency_conflict`.
 */
export function findEarlier(
  connection: Connection,
  { accountId, idempotency, webhookUrl }: KeyedSubmission,
  now: number,
): Inference | null {
  if (idempotency === null) return null
  const parameters = { accountId, key: idempotency.key }
  const row = connection.get('select * from inferences where account_id = :accountId and idempotency_key = :key', parameters)
  if (row === undefined) return null
  if (readInteger(row, 'created_at') + outputRetentionMs <= now) {
    connection.run('update inferences set idempotency_key = null where account_id = :accountId and idempotency_key = :key', parameters)
    return null
  }
  if (readText(row, 'fingerprint') !== idempotency.fingerprint || readTextOrNull(row, 'webhook_url') !== webhookUrl)
    throw idempotencyConflict()
  return readInference(row)
}
