import type { QueueShare } from '../../core/deferred/queue-position.ts'
import { lowPriorityAgesMs } from '../../core/inference.ts'
import type { InferenceEntry } from './inference-entry.ts'

/** As of when the next is chosen, and how many claims a turn of each account has. */
interface Waiting {
  readonly now: number
  readonly weightOf: (accountId: string) => number
}

/** Whose turn it is: per model and priority, the account that was served the longest time ago goes next. */
export class Turns {
  readonly #turns = new Map<string, number>()
  /** Claims that accounts have had of their turn. */
  readonly #taken = new Map<string, number>()
  #latest = 0

  /** Takes the next of the ready entries, which are in the order of their submission. */
  choose(ready: readonly InferenceEntry[], { now, weightOf }: Waiting): InferenceEntry | null {
    const [next] = [...ready].sort((a, b) => rank(b, now) - rank(a, now) || this.#turn(a) - this.#turn(b) || a.seq - b.seq)
    if (next === undefined) return null
    const taken = (this.#taken.get(key(next)) ?? 0) + 1
    const isOver = taken >= weightOf(next.inference.accountId)
    this.#taken.set(key(next), isOver ? 0 : taken)
    if (isOver) this.#turns.set(key(next), ++this.#latest)
    return next
  }

  /** The accounts that wait for one model in one priority. */
  shares(waiting: readonly InferenceEntry[], weightOf: (accountId: string) => number): readonly QueueShare[] {
    const accounts = Map.groupBy(waiting, ({ inference }) => inference.accountId)
    return [...accounts].flatMap(([accountId, entries]) =>
      entries[0] === undefined
        ? []
        : [
            {
              accountId,
              pending: entries.length,
              turn: this.#turn(entries[0]),
              weight: weightOf(accountId),
              taken: this.#taken.get(key(entries[0])) ?? 0,
            },
          ],
    )
  }

  #turn(entry: InferenceEntry): number {
    return this.#turns.get(key(entry)) ?? 0
  }
}

function rank({ inference }: InferenceEntry, now: number): number {
  return inference.priority === 'normal' || inference.createdAt <= now - lowPriorityAgesMs ? 1 : 0
}

function key({ inference }: InferenceEntry): string {
  return JSON.stringify([inference.model, inference.priority, inference.accountId])
}
