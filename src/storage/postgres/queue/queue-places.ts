import { countedPlaces } from '../../../core/deferred/queue-position.ts'
import { readInteger, readIntegerOrNull } from '../../rows/row.ts'
import type { Database } from '../database.ts'
import type { Turn } from './find-records.ts'

/** The front of what waits for one model in one priority, in the order of its turns. */
interface Front {
  readonly places: readonly Pick<Turn, 'tag' | 'seq'>[]
  readonly lastTag: number
  readonly pending: number
  /** Waiting in a higher priority, all of which goes first. */
  readonly ahead: number
  readonly readAt: number
}

/** How old what other nodes did may be; a place in the queue is for people. */
const freshMs = 250

/** Finds places in the queue; what many polls ask for is read once, until this node changes the queue. */
export class QueuePlaces {
  readonly #database: Database
  readonly #fronts = new Map<string, Promise<Front>>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Called after each change of the queue by this node. */
  forget(): void {
    this.#fronts.clear()
  }

  /** 1 = next; counted near the front, farther back estimated. */
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
        { repeatable: true },
      ),
      this.#database.all(
        `select (select max(tag) from queue where ${waiting}) as last_tag,
           coalesce(sum(pending) filter (where priority = :priority), 0)::bigint as pending,
           coalesce(sum(pending) filter (where priority > :priority), 0)::bigint as ahead
         from model_totals where model = :model`,
        { model, priority },
        { repeatable: true },
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
