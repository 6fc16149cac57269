import { accountDisabled } from '../../../core/account-disabled.ts'
import { makePendingInference } from '../../../core/deferred/pending-inference.ts'
import type { ServiceError } from '../../../core/error.ts'
import { type Inference, outputRetentionMs } from '../../../core/inference.ts'
import type { QueueLimits } from '../../../core/ports/inference-queue.ts'
import { idempotencyConflict } from '../../refuse-submission.ts'
import { readText, readTextOrNull } from '../../rows/row.ts'
import type { Statements } from '../database.ts'
import { databaseAway } from '../database-fault.ts'
import { admit, readRoom } from './admission.ts'
import type { EncodedSubmission } from './encoded-submission.ts'
import { findRecords } from './find-records.ts'
import { insertSubmissions } from './insert-submissions.ts'

/** What became of a submission. */
export type Enqueued = { readonly inference: Inference; readonly repeated: boolean } | ServiceError

/** Rounds after which submissions that always meet others with their key are given up. */
const mostRounds = 10

/** Adds a group of inferences in one statement, and finds those that an idempotency key made before. */
export async function enqueueGroup(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  { limits, now }: { readonly limits: QueueLimits; readonly now: number },
): Promise<readonly Enqueued[]> {
  const results = new Map<EncodedSubmission, Enqueued>()
  for (let round = 0; results.size < submissions.length; round++) {
    if (round === mostRounds) throw databaseAway(new Error('Submissions with the same key kept colliding.'))
    const next = firstOfEachKey(submissions.filter((each) => !results.has(each)))
    for (const [submission, result] of await enqueueOnce(database, next, { limits, now })) results.set(submission, result)
  }
  return submissions.map((each) => results.get(each) ?? databaseAway(new Error('A submission got no answer.')))
}

/** One try; who lost his key to another one meanwhile is not among the results. */
async function enqueueOnce(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  { limits, now }: { readonly limits: QueueLimits; readonly now: number },
): Promise<ReadonlyMap<EncodedSubmission, Enqueued>> {
  const [room, earlier] = await Promise.all([readRoom(database, submissions), findEarlier(database, submissions, now)])
  const results = new Map<EncodedSubmission, Enqueued>(earlier)
  const admitted: EncodedSubmission[] = []
  for (const submission of submissions.filter((each) => !earlier.has(each))) {
    const refusal = room.disabled.has(submission.accountId) ? accountDisabled() : admit(room, submission, limits)
    if (refusal === null) admitted.push(submission)
    else results.set(submission, refusal)
  }
  const inserted = await insertSubmissions(database, admitted, now)
  for (const each of admitted) if (inserted.has(each.id)) results.set(each, { inference: makePendingInference(each, now), repeated: false })
  const unsure = admitted.filter(({ id }) => !inserted.has(id))
  // Those that are there all the same were committed by a try whose answer got lost.
  const there = await findRecords(database, unsure, now)
  for (const [index, inference] of there.entries()) {
    const submission = unsure[index]
    if (submission !== undefined && inference !== null) results.set(submission, { inference: inference.inference, repeated: false })
  }
  return results
}

async function findEarlier(
  database: Statements,
  submissions: readonly EncodedSubmission[],
  now: number,
): Promise<ReadonlyMap<EncodedSubmission, Enqueued>> {
  const keyed = submissions.filter(({ idempotency }) => idempotency !== null)
  if (keyed.length === 0) return new Map()
  const rows = await database.all(
    `select wanted.n, known.id, known.fingerprint, known.webhook_url from unnest(:accounts::text[], :keys::text[]) with ordinality as wanted (account_id, key, n),
       lateral (select * from idempotency_keys where account_id = wanted.account_id and key = wanted.key and created_at > :since) as known`,
    {
      accounts: keyed.map(({ accountId }) => accountId),
      keys: keyed.map(({ idempotency }) => idempotency?.key),
      since: now - outputRetentionMs,
    },
    { repeatable: true },
  )
  const found = rows.flatMap((row) => {
    const submission = keyed[Number(row.n) - 1]
    return submission === undefined ? [] : [{ submission, row, id: readText(row, 'id') }]
  })
  const records = await findRecords(
    database,
    found.map(({ id, submission: { accountId } }) => ({ id, accountId })),
    now,
  )
  return new Map<EncodedSubmission, Enqueued>(
    found.flatMap(({ submission, row, id }, index): (readonly [EncodedSubmission, Enqueued])[] => {
      const record = records[index]
      const same =
        readText(row, 'fingerprint') === submission.idempotency?.fingerprint && readTextOrNull(row, 'webhook_url') === submission.webhookUrl
      if (!same) return [[submission, idempotencyConflict()]]
      return record ? [[submission, { inference: record.inference, repeated: id !== submission.id }]] : []
    }),
  )
}

function firstOfEachKey(submissions: readonly EncodedSubmission[]): readonly EncodedSubmission[] {
  const seen = new Set<string>()
  return submissions.filter(({ accountId, idempotency }) => {
    if (idempotency === null) return true
    const name = JSON.stringify([accountId, idempotency.key])
    return seen.size < seen.add(name).size
  })
}
