import type { NumberedRequest, RequestLog, RequestLogQuery } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import { hasWords, readRequest, requestConditions, wordExpiry, writeRequest } from '../rows/request-row.ts'
import { Tables } from '../tables/statements.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Rows changed per commit, so that other writes do not wait for long: ten milliseconds. */
const batch = 200
const { due, withoutWords, withoutSentence, parameters: expiring } = wordExpiry('instr', 'request_records.id')

/** Records that reached the age since the last complete expiry. */
const aged = `at > :agedSince and ${due}`
/** Older records whose result expired since then. The plus keeps SQLite from reading all old records with words. */
const ended = `+at <= :words and ${hasWords} and id in (select id from inferences where status = 'completed' and output_deleted in (0, 1)
  and expires_at > :endedSince and expires_at <= :now)`

/** Request records in SQLite. */
export class SqliteRequestLog extends Tables<SqliteDatabase> implements RequestLog {
  /** Age and time of the last complete expiry, before which nothing is left; null = unknown. */
  #complete: { readonly words: number; readonly now: number } | null = null

  async append(records: readonly RequestRecord[]): Promise<void> {
    // Sent as one text: it crosses threads faster than separate objects.
    await this.database.writer.run('recordRequests', JSON.stringify(records.map(writeRequest)), this.clock.now(), { mayWait: true })
    // They began before the last complete expiry: the clock was set forward while they ran.
    if (records.some(({ at }) => at <= (this.#complete?.words ?? -1))) this.#complete = null
  }

  async list(query: RequestLogQuery): Promise<readonly NumberedRequest[]> {
    const { where, parameters } = requestConditions(query, 'id in (select value from json_each(:ids))')
    const values = { ...parameters, ids: JSON.stringify(query.ids), limit: query.limit }
    return (await this.database.all(`select * from request_records ${where} order by seq desc limit :limit`, values)).map(readRequest)
  }

  /** Reads only what can have expired since the last call, since results may be kept longer than the words of their requests. */
  async expire({ words, all }: { readonly words: number; readonly all: number }): Promise<number> {
    const now = this.clock.now()
    // The clock was set back.
    if (this.#complete !== null && now < this.#complete.now) this.#complete = null
    const since = { agedSince: this.#complete?.words ?? -1, endedSince: this.#complete?.now ?? now }
    const parameters = { words, now, batch, ...since, ...expiring }
    const some = (condition: string) => `seq in (select seq from request_records where ${condition} order by at, seq limit :batch)`
    const [deleted = 0, ...changes] = await this.database.runAll([
      { sql: `delete from request_records where ${some('at <= :all')}`, parameters: { all, batch } },
      ...[aged, ended].flatMap((condition) => [
        {
          sql: `update inferences set ${withoutSentence} where error is not null
          and id in (select id from request_records where ${some(condition)})`,
          parameters,
        },
        { sql: `update request_records set ${withoutWords} where ${some(condition)}`, parameters },
      ]),
    ])
    const [, blanked = 0, , blankedLater = 0] = changes
    const changed = deleted + blanked + blankedLater
    if (changed === 0) this.#complete = { words, now }
    return changed
  }
}
