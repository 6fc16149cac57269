import type { NumberedRequest, RequestLog, RequestLogQuery } from '../../core/ports/request-log.ts'
import type { RequestRecord } from '../../core/requests/request-record.ts'
import { readRequest, requestColumns, requestConditions, wordExpiry, writeRequest } from '../rows/request-row.ts'
import { readInteger } from '../rows/row.ts'
import { repeatable, type Statements, Tables } from '../tables/statements.ts'

/** Rows changed per statement. */
const batch = 1000
const inferenceIdOf = (table: string) => `case when ${table}.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then ${table}.id::uuid end`
const { due, withoutWords, withoutSentence, parameters: expiring } = wordExpiry('strpos', inferenceIdOf('request_records'))
const columns = requestColumns.join(', ')

/** Request records of all nodes. */
export class PostgresRequestLog extends Tables<Statements> implements RequestLog {
  async append(records: readonly RequestRecord[]): Promise<void> {
    const sql = `insert into request_records (${columns}) select ${columns} from json_populate_recordset(null::request_records, :records::json)`
    await this.database.run(sql, { records: JSON.stringify(records.map(writeRequest)) })
  }

  async list(query: RequestLogQuery): Promise<readonly NumberedRequest[]> {
    const { where, parameters } = requestConditions(query, 'id = any (:ids::text[])')
    const sql = `select * from request_records ${where} order by seq desc limit :limit`
    return (await this.database.all(sql, { ...parameters, limit: query.limit }, repeatable)).map(readRequest)
  }

  async expire({ words, all }: { readonly words: number; readonly all: number }): Promise<number> {
    const some = (condition: string) =>
      `ctid = any (array(select ctid from request_records where ${condition} limit :batch for update skip locked))`
    const deleted = await this.database.run(`delete from request_records where ${some('at <= :all')}`, { all, batch }, repeatable)
    const sql = `with expired as (update request_records set ${withoutWords} where ${some(due)} returning id),
      without as (update inferences set ${withoutSentence} from expired
        where inferences.error is not null and inferences.id = ${inferenceIdOf('expired')})
      select count(*) as blanked from expired`
    const row = await this.database.get(sql, { words, now: this.clock.now(), batch, ...expiring }, repeatable)
    return deleted + readInteger(row ?? {}, 'blanked')
  }
}
