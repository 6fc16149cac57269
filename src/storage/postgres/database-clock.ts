import type { Clock } from '../../core/ports/clock.ts'
import type { Database } from './database.ts'

const everyMs = 30_000

/**
 * The time of the database, which is the same for every node whatever their own clocks say. Between two questions it goes on by the
 * machine's monotonic clock, which nobody sets.
 */
export class DatabaseClock implements Clock, Disposable {
  readonly #database: Database
  readonly #machine: Clock
  readonly #timer: NodeJS.Timeout
  #offset: number

  /** @param machine Waits; its time is not asked for. */
  static async open(database: Database, machine: Clock): Promise<DatabaseClock> {
    return new DatabaseClock(database, machine, await readOffset(database))
  }

  private constructor(database: Database, machine: Clock, offset: number) {
    this.#database = database
    this.#machine = machine
    this.#offset = offset
    this.#timer = setInterval(() => void this.#correct(), everyMs)
    this.#timer.unref()
  }

  now(): number {
    return Math.floor(performance.now() + this.#offset)
  }

  wait(ms: number, options: { readonly signal: AbortSignal }): Promise<void> {
    return this.#machine.wait(ms, options)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #correct(): Promise<void> {
    // While the database is away the machine's clock goes on alone.
    this.#offset = await readOffset(this.#database).catch(() => this.#offset)
  }
}

/** What to add to the monotonic clock; wrong by half of what the question took, at most. */
async function readOffset(database: Database): Promise<number> {
  const asked = performance.now()
  const row = await database.get('select extract(epoch from clock_timestamp())::double precision * 1000 as now', {}, { repeatable: true })
  return Number(row?.now) - (asked + performance.now()) / 2
}
