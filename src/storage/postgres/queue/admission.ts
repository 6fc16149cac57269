import type { ServiceError } from '../../../core/error.ts'
import type { QueueLimits } from '../../../core/ports/inference-queue.ts'
import { queueFull, shareFull, storageFull } from '../../refuse-submission.ts'
import { readInteger, readText } from '../../rows/row.ts'
import type { Database } from '../database.ts'
import type { EncodedSubmission } from './encoded-submission.ts'

/** How full the queue is; grows with what is admitted. */
export interface Room {
  pending: number
  readonly accounts: Map<string, { pending: number; bytes: number }>
  readonly disabled: ReadonlySet<string>
}

/** Reads how full the queue is for the accounts of a group. What other nodes add in the same moment is not in it. */
export async function readRoom(database: Database, submissions: readonly EncodedSubmission[]): Promise<Room> {
  const rows = await database.all(
    `select wanted.account_id, (account.disabled_at is not null) as disabled, total.pending, total.bytes,
       (select coalesce(sum(pending), 0)::bigint from model_totals) as all_pending
     from unnest(:accounts::text[]) as wanted (account_id) left join accounts as account on account.id = wanted.account_id,
       lateral (select coalesce(sum(pending), 0)::bigint as pending, coalesce(sum(bytes), 0)::bigint as bytes
         from account_totals where account_id = wanted.account_id) as total`,
    { accounts: [...new Set(submissions.map(({ accountId }) => accountId))] },
    { repeatable: true },
  )
  return {
    pending: readInteger(rows[0] ?? { all_pending: 0 }, 'all_pending'),
    accounts: new Map(
      rows.map((row) => [readText(row, 'account_id'), { pending: readInteger(row, 'pending'), bytes: readInteger(row, 'bytes') }]),
    ),
    disabled: new Set(rows.filter(({ disabled }) => disabled === true).map((row) => readText(row, 'account_id'))),
  }
}

/** Takes the room that a submission needs; a refusal when there is too little, and then takes none. */
export function admit(room: Room, { accountId, body, outputBytes = 0 }: EncodedSubmission, limits: QueueLimits): ServiceError | null {
  const { maxPending, maxPendingPerAccount = maxPending, maxStoredBytesPerAccount: most = Number.POSITIVE_INFINITY } = limits
  const own = room.accounts.get(accountId) ?? { pending: 0, bytes: 0 }
  if (room.pending >= maxPending) return queueFull()
  if (own.pending >= maxPendingPerAccount) return shareFull(maxPendingPerAccount)
  const stored = own.bytes + body.length + outputBytes
  if (stored > most) return storageFull(stored, most)
  room.pending++
  room.accounts.set(accountId, { pending: own.pending + 1, bytes: stored })
  return null
}
