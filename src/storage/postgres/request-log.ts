import type { NumberedRequest, RequestLog, RequestLogQuery } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import { readRequest, requestColumns, requestConditions, writeRequest } from '../rows/request-row.ts'
import { repeatable, Tables } from '../tables/statements.ts'
import type { Database } from './database.ts'

/** Rows changed per statement. */
const batch = 1000
const columns = requestColumns.join(', ')

/** Request records of all nodes. */
export class PostgresRequestLog extends Tables<Database> implements RequestLog {
  async append(records: readonly RequestRecord[]): Promise<void> {
    const sql = `insert into request_records (${columns}) select ${columns} from json_populate_recordset(null::request_records, :records::json)`
    await this.database.run(sql, { records: JSON.stringify(records.map(writeRequest)) })
  }

  async list(query: RequestLogQuery): Promise<readonly NumberedRequest[]> {
    const { where, parameters } = requestConditions(query, 'id = any (:ids::text[])')
    const sql = `select * from request_records ${where} order by seq desc limit :limit`
    return (await this.database.all(sql, { ...parameters, limit: query.limit }, repeatable)).map(readRequest)
  }

  async expire({ words, all }: { readonly words: number; readonly all: number }): Promise<void> {
    const some = (condition: string) =>
      `ctid = any (array(select ctid from request_records where ${condition} limit :batch for update skip locked))`
    await this.database.run(`delete from request_records where ${some('at <= :all')}`, { all, batch }, repeatable)
    await this.database.run(
      `update request_records set excerpt = null, words = null, call = null where ${some('at <= :words and excerpt is not null')}`,
      { words, batch },
      repeatable,
    )
  }
}
