import type { SharedCounts } from '../../core/ports/usage-log.ts'
import { readInteger } from '../rows/row.ts'
import { repeatable } from '../tables/statements.ts'
import type { Database } from './database.ts'
import { aliveHolder } from './node-registry.ts'

/** Counters shared by all nodes. */
export class PostgresSharedCounts implements SharedCounts {
  readonly #database: Database
  readonly #holder: string

  /** @param holder The process whose places end with it. */
  constructor(database: Database, holder: string) {
    this.#database = database
    this.#holder = holder
  }

  async takeOfMinute({
    subject,
    minute,
    wanted,
    limit,
  }: Parameters<SharedCounts['takeOfMinute']>[0]): Promise<{ readonly granted: number; readonly left: number }> {
    // Requested amounts are counted even if not all are granted: a request over the limit gets nothing either way. A request one minute
    // late counts for the current minute; an earlier one results from a clock that was set back.
    const row = await this.#database.get(
      `insert into request_minutes as counted (subject, minute, asked) values (:subject, :minute, :wanted)
       on conflict (subject) do update set
         minute = case when excluded.minute = counted.minute - 1 then counted.minute else excluded.minute end,
         asked = excluded.asked + case when excluded.minute between counted.minute - 1 and counted.minute then counted.asked else 0 end
       returning asked`,
      { subject, minute, wanted },
      repeatable,
    )
    const requested = row === undefined ? wanted : readInteger(row, 'asked')
    return { granted: Math.max(0, Math.min(wanted, limit - (requested - wanted))), left: Math.max(0, limit - requested) }
  }

  async keepPlaces({ subject, places, limit }: Parameters<SharedCounts['keepPlaces']>[0]): Promise<number> {
    const holder = this.#holder
    return this.#database.transaction(async (statements) => {
      // Serialized, so that each call sees the places of the others.
      await statements.run(`select pg_advisory_xact_lock(hashtextextended('places of ' || :subject, 0))`, { subject })
      const row = await statements.get(
        `select coalesce(sum(places), 0)::integer as others from kept_places
           where subject = :subject and holder <> :holder and ${aliveHolder('kept_places.holder')}`,
        { subject, holder },
      )
      const kept = Math.max(0, Math.min(places, limit - (row === undefined ? 0 : readInteger(row, 'others'))))
      if (kept === 0) await statements.run('delete from kept_places where subject = :subject and holder = :holder', { subject, holder })
      else
        await statements.run(
          `insert into kept_places (subject, holder, places) values (:subject, :holder, :kept)
             on conflict (subject, holder) do update set places = excluded.places`,
          { subject, holder, kept },
        )
      return kept
    }, repeatable)
  }
}
