import type { NumberedRequest, RequestLog, RequestLogQuery } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import { readRequest, requestConditions, wordExpiry, writeRequest } from '../rows/request-row.ts'
import { Tables } from '../tables/statements.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Rows changed per commit, so that other writes do not wait for long: ten milliseconds. */
const batch = 200
const { due, withoutWords, withoutSentence, parameters: expiring } = wordExpiry('instr', 'request_records.id')

/** Request records in SQLite. */
export class SqliteRequestLog extends Tables<SqliteDatabase> implements RequestLog {
  async append(records: readonly RequestRecord[]): Promise<void> {
    // Sent as one text: it crosses threads faster than separate objects.
    await this.database.writer.run('recordRequests', JSON.stringify(records.map(writeRequest)), this.clock.now(), { mayWait: true })
  }

  async list(query: RequestLogQuery): Promise<readonly NumberedRequest[]> {
    const { where, parameters } = requestConditions(query, 'id in (select value from json_each(:ids))')
    const { ids, ...rest } = parameters
    const values = { ...rest, ...(ids !== undefined && { ids: JSON.stringify(ids) }), limit: query.limit }
    return (await this.database.all(`select * from request_records ${where} order by seq desc limit :limit`, values)).map(readRequest)
  }

  async expire({ words, all }: { readonly words: number; readonly all: number }): Promise<number> {
    const some = (condition: string) => `seq in (select seq from request_records where ${condition} order by at, seq limit :batch)`
    const parameters = { words, now: this.clock.now(), batch, ...expiring }
    const [deleted = 0, , blanked = 0] = await this.database.runAll([
      { sql: `delete from request_records where ${some('at <= :all')}`, parameters: { all, batch } },
      {
        sql: `update inferences set ${withoutSentence} where error is not null
          and id in (select id from request_records where ${some(due)})`,
        parameters,
      },
      { sql: `update request_records set ${withoutWords} where ${some(due)}`, parameters },
    ])
    return deleted + blanked
  }
}
