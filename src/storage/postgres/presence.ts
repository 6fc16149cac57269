import type { Clock } from '../../core/ports/clock.ts'
import type { Database } from './database.ts'
import { dropPartitions, makePartitions } from './schema/partitions.ts'

const everyMs = 15_000
/** Rounds between two looks at the partitions: ten minutes. */
const partitionRounds = 40

/** Says again and again that this process is there, so that what it has reserved stays reserved, and keeps partitions ahead of time. */
export class Presence implements AsyncDisposable {
  readonly #database: Database
  readonly #holder: string
  readonly #clock: Clock
  readonly #timer: NodeJS.Timeout
  #round = 0
  #underWay = Promise.resolve()

  static async open(database: Database, { holder, clock }: { readonly holder: string; readonly clock: Clock }): Promise<Presence> {
    await show(database, holder)
    return new Presence(database, holder, clock)
  }

  private constructor(database: Database, holder: string, clock: Clock) {
    this.#database = database
    this.#holder = holder
    this.#clock = clock
    this.#timer = setInterval(() => {
      this.#underWay = this.#underWay.then(() => this.#tick())
    }, everyMs)
    this.#timer.unref()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#underWay
    await this.#database.run('delete from holders where id = :holder', { holder: this.#holder }, { limitMs: 1000 }).catch(() => {})
  }

  async #tick(): Promise<void> {
    this.#round = (this.#round + 1) % partitionRounds
    try {
      await show(this.#database, this.#holder)
      if (this.#round !== 0) return
      await makePartitions(this.#database, this.#clock.now())
      await dropPartitions(this.#database, this.#clock.now())
    } catch {
      // The next round tries again; whoever waits for the database is told by his own call.
    }
  }
}

/** That a process has shown itself lately; what others have set aside or kept counts no more. */
export function aliveHolder(column: string): string {
  return `exists (select 1 from holders where id = ${column} and seen_at > clock_timestamp() - interval '60 seconds')`
}

async function show(database: Database, holder: string): Promise<void> {
  const sql = `insert into holders (id, seen_at) values (:holder, clock_timestamp()) on conflict (id) do update set seen_at = excluded.seen_at`
  await database.run(sql, { holder }, { repeatable: true })
}
