import type { ServiceError } from '../../../core/error.ts'
import type { QueueLimits } from '../../../core/ports/inference-queue.ts'
import { queueFull, shareFull, storageFull } from '../../refuse-submission.ts'
import { readInteger, readIntegerOrNull, readText } from '../../rows/row.ts'
import type { Statements } from '../database.ts'
import type { EncodedSubmission } from './encoded-submission.ts'

/** What an account has waiting and stored, and its own limits of both. */
interface AccountRoom {
  readonly pending: number
  readonly bytes: number
  readonly mostPending: number | null
  readonly mostBytes: number | null
}

/** How full the queue is; grows with what is admitted. */
export interface Room {
  pending: number
  readonly accounts: Map<string, AccountRoom>
  readonly disabled: ReadonlySet<string>
}

/** Reads how full the queue is for the accounts of a group. What other nodes add in the same moment is not in it. */
export async function readRoom(database: Statements, submissions: readonly EncodedSubmission[]): Promise<Room> {
  const rows = await database.all(
    `select wanted.account_id, (account.disabled_at is not null) as disabled, account.pending_requests, account.stored_bytes, total.pending, total.bytes,
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
      rows.map((row) => [
        readText(row, 'account_id'),
        {
          pending: readInteger(row, 'pending'),
          bytes: readInteger(row, 'bytes'),
          mostPending: readIntegerOrNull(row, 'pending_requests'),
          mostBytes: readIntegerOrNull(row, 'stored_bytes'),
        },
      ]),
    ),
    disabled: new Set(rows.filter(({ disabled }) => disabled === true).map((row) => readText(row, 'account_id'))),
  }
}

/** Takes the room that a submission needs; a refusal when there is too little, and then takes none. */
export function admit(room: Room, { accountId, workBytes, outputBytes = 0 }: EncodedSubmission, limits: QueueLimits): ServiceError | null {
  const { maxPending, maxPendingPerAccount = maxPending, maxStoredBytesPerAccount = Number.POSITIVE_INFINITY } = limits
  const own = room.accounts.get(accountId) ?? { pending: 0, bytes: 0, mostPending: null, mostBytes: null }
  const mostPending = own.mostPending ?? maxPendingPerAccount
  const most = own.mostBytes ?? maxStoredBytesPerAccount
  if (room.pending >= maxPending) return queueFull()
  if (own.pending >= mostPending) return shareFull(mostPending, { own: own.mostPending !== null })
  const stored = own.bytes + workBytes + outputBytes
  if (stored > most) return storageFull(stored, most, { own: own.mostBytes !== null })
  room.pending++
  room.accounts.set(accountId, { ...own, pending: own.pending + 1, bytes: stored })
  return null
}
