import { countedPlaces, estimateBefore, findQueuePosition, type QueueShare } from '../../../core/deferred/queue-position.ts'
import { type Row, readInteger, readIntegerOrNull, readText } from '../../rows/row.ts'
import { CommittedValues } from '../committed-values.ts'
import type { Connection } from '../connection.ts'

/** The queue of a model and priority. */
interface Queue {
  readonly model: string
  readonly priority: number
}

/** Sequence numbers of an account's first and last pending inference, and of the last with an exact position. */
interface OwnQueue {
  readonly first: number
  readonly last: number
  readonly lastCounted: number | null
}

const ofQueue = 'model = :model and priority = :priority'
const ofAccount = `from inferences where status = 'pending' and ${ofQueue} and account_id = :accountId`

/** Computes queue positions; concurrent polls share queries until the next commit. */
export class QueuePlaces {
  readonly #reader: Connection
  readonly #shares: CommittedValues<{ readonly shares: readonly QueueShare[]; readonly ahead: number }>
  readonly #own: CommittedValues<OwnQueue>

  constructor(reader: Connection) {
    this.#reader = reader
    this.#shares = new CommittedValues(reader)
    this.#own = new CommittedValues(reader)
  }

  /** Position of a pending inference, 1 = next; null for any other. */
  find(row: Row): number | null {
    if (row.status !== 'pending') return null
    const queue = { model: readText(row, 'model'), priority: readInteger(row, 'priority') }
    const accountId = readText(row, 'account_id')
    const { shares, ahead } = this.#shares.get(nameOf(queue), () => this.#readShares(queue))
    const pending = shares.find((share) => share.accountId === accountId)?.pending ?? 0
    const before = this.#countBefore({ ...queue, accountId }, { seq: readInteger(row, 'seq'), pending })
    return findQueuePosition({ accountId, before }, shares, ahead)
  }

  #readShares(queue: Queue): { readonly shares: readonly QueueShare[]; readonly ahead: number } {
    const parameters = { ...queue }
    const rows = this.#reader.all(
      `select share.account_id, pending, turn, taken, coalesce(accounts.weight, 1) as weight
       from queue_shares as share left join accounts on accounts.id = share.account_id where ${ofQueue} and pending > 0`,
      parameters,
    )
    const row = this.#reader.get(
      'select coalesce(sum(pending), 0) as ahead from queue_shares where model = :model and priority > :priority and pending > 0',
      parameters,
    )
    const shares = rows.map((share) => ({
      accountId: readText(share, 'account_id'),
      pending: readInteger(share, 'pending'),
      turn: readInteger(share, 'turn'),
      weight: readInteger(share, 'weight'),
      taken: readInteger(share, 'taken'),
    }))
    return { shares, ahead: readInteger(row ?? {}, 'ahead') }
  }

  /** Number of the account's inferences before it: exact near the front, estimated farther back. */
  #countBefore(own: Queue & { readonly accountId: string }, { seq, pending }: { readonly seq: number; readonly pending: number }): number {
    if (pending > countedPlaces) {
      const { first, last, lastCounted } = this.#own.get(`${nameOf(own)} ${own.accountId}`, () => this.#readOwn(own))
      if (lastCounted !== null && seq > lastCounted) return estimateBefore({ pending, first, last }, seq)
    }
    const counted = this.#reader.get(`select count(*) as before ${ofAccount} and seq < :seq`, { ...own, seq })
    return readInteger(counted ?? {}, 'before')
  }

  #readOwn(own: Queue & { readonly accountId: string }): OwnQueue {
    const row = this.#reader.get(
      `select (select min(seq) ${ofAccount}) as first, (select max(seq) ${ofAccount}) as last,
         (select seq ${ofAccount} order by seq limit 1 offset ${countedPlaces - 1}) as last_counted`,
      { ...own },
    )
    return {
      first: readInteger(row ?? {}, 'first'),
      last: readInteger(row ?? {}, 'last'),
      lastCounted: readIntegerOrNull(row ?? {}, 'last_counted'),
    }
  }
}

function nameOf({ model, priority }: Queue): string {
  return `${priority} ${model}`
}
