import { countedPlaces } from '../../../core/deferred/queue-position.ts'
import type { ServiceError } from '../../../core/error.ts'
import type { Inference } from '../../../core/inference.ts'
import type { InferenceSubmission, QueueLimits } from '../../../core/ports/inference-queue.ts'
import { type AccountRoom, refuseOverLimits } from '../../refuse-submission.ts'
import { readInteger, readIntegerOrNull, readText } from '../../rows/row.ts'
import { repeatable, type Statements } from '../../tables/statements.ts'
import type { Database } from '../database.ts'

/** The front of the queue of one model and priority, in order of turns. */
interface Front {
  readonly places: readonly Pick<Turn, 'tag' | 'seq'>[]
  readonly lastTag: number
  readonly pending: number
  /** Number of waiting inferences of higher priority, which go first. */
  readonly ahead: number
  readonly readAt: number
}

/** Maximum age of cached positions; they are only displayed. */
const freshMs = 250

/** Computes queue positions; concurrent polls share a query until this node changes the queue. */
export class QueuePlaces {
  readonly #database: Database
  readonly #fronts = new Map<string, Promise<Front>>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Call after each change of the queue by this node. */
  forget(): void {
    this.#fronts.clear()
  }

  /** 1 = next; exact near the front, estimated farther back. */
  async find({ model, priority, tag, seq }: Turn): Promise<number> {
    const key = JSON.stringify([model, priority])
    let front = await this.#fronts.get(key)
    if (front === undefined || performance.now() - front.readAt > freshMs) {
      const reading = this.#read(model, priority)
      this.#fronts.set(key, reading)
      reading.catch(() => this.#fronts.delete(key))
      front = await reading
    }
    const { places, lastTag, pending, ahead } = front
    const last = places.at(-1)
    if (places.length < countedPlaces || last === undefined || compare({ tag, seq }, last) <= 0)
      return ahead + countBefore(places, { tag, seq }) + 1
    const behind = ((pending - countedPlaces) * (tag - last.tag)) / (lastTag - last.tag + 1)
    return ahead + countedPlaces + Math.max(1, Math.round(behind))
  }

  async #read(model: string, priority: number): Promise<Front> {
    const readAt = performance.now()
    const waiting = 'model = :model and priority = :priority and not running'
    const [places, [sums = {}]] = await Promise.all([
      this.#database.all(
        `select tag, seq from queue where ${waiting} order by tag, seq limit :countedPlaces`,
        { model, priority, countedPlaces },
        repeatable,
      ),
      this.#database.all(
        `select (select max(tag) from queue where ${waiting}) as last_tag,
           coalesce(sum(pending) filter (where priority = :priority), 0)::bigint as pending,
           coalesce(sum(pending) filter (where priority > :priority), 0)::bigint as ahead
         from model_totals where model = :model`,
        { model, priority },
        repeatable,
      ),
    ])
    return {
      places: places.map((row) => ({ tag: readInteger(row, 'tag'), seq: readInteger(row, 'seq') })),
      lastTag: readIntegerOrNull(sums, 'last_tag') ?? 0,
      pending: readInteger(sums, 'pending'),
      ahead: readInteger(sums, 'ahead'),
      readAt,
    }
  }
}

function compare(a: Pick<Turn, 'tag' | 'seq'>, b: Pick<Turn, 'tag' | 'seq'>): number {
  return a.tag - b.tag || a.seq - b.seq
}

function countBefore(places: readonly Pick<Turn, 'tag' | 'seq'>[], turn: Pick<Turn, 'tag' | 'seq'>): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const place = places[middle]
    if (place !== undefined && compare(place, turn) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Fill levels of the queue; they increase with each admission. */
export interface Room {
  pending: number
  readonly accounts: Map<string, AccountRoom>
  readonly disabled: ReadonlySet<string>
}

/** Reads the fill levels for the accounts of a group. Concurrent submissions on other nodes are not included. */
export async function readRoom(database: Statements, submissions: readonly EncodedSubmission[]): Promise<Room> {
  const rows = await database.all(
    `select wanted.account_id, (account.disabled_at is not null) as disabled, account.pending_requests, account.stored_bytes, total.pending, total.bytes,
       (select coalesce(sum(pending), 0)::bigint from model_totals) as all_pending
     from unnest(:accounts::text[]) as wanted (account_id) left join accounts as account on account.id = wanted.account_id,
       lateral (select coalesce(sum(pending), 0)::bigint as pending, coalesce(sum(bytes), 0)::bigint as bytes
         from account_totals where account_id = wanted.account_id) as total`,
    { accounts: [...new Set(submissions.map(({ accountId }) => accountId))] },
    repeatable,
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

/** Reserves the capacity for a submission; if there is too little, returns the refusal and reserves none. */
export function admit(room: Room, { accountId, workBytes, outputBytes = 0 }: EncodedSubmission, limits: QueueLimits): ServiceError | null {
  const own = room.accounts.get(accountId) ?? { pending: 0, bytes: 0, mostPending: null, mostBytes: null }
  const stored = own.bytes + workBytes + outputBytes
  const refusal = refuseOverLimits({ pending: room.pending, own, stored }, limits)
  if (refusal !== null) return refusal
  room.pending++
  room.accounts.set(accountId, { ...own, pending: own.pending + 1, bytes: stored })
  return null
}

/** A submission with encoded work. */
export interface EncodedSubmission extends Omit<InferenceSubmission, 'id' | 'work'> {
  readonly id: string
  readonly kind: Inference['kind']
  readonly model: string
  /** The work, or a reference to it. */
  readonly body: Uint8Array
  /** Size of the work in bytes, wherever it is stored. */
  readonly workBytes: number
  readonly format: number
  readonly traceparent: string | null
}

/** Sort key of work within a model and priority: first the tag, then the number. */
export interface Turn {
  readonly model: string
  readonly priority: number
  readonly tag: number
  readonly seq: number
}
