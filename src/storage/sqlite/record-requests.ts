import { requestColumns } from '../rows/request-row.ts'
import type { Connection, Parameters } from './connection.ts'

const insert = `insert into request_records (${requestColumns.join(', ')}) values (${requestColumns.map((column) => `:${column}`).join(', ')})`

/** Adds records of requests. @param rows Their columns, as a list in JSON. */
export function recordRequests(connection: Connection, rows: string, _now: number): number {
  const records: readonly Parameters[] = JSON.parse(rows)
  for (const record of records) connection.run(insert, record)
  return records.length
}
