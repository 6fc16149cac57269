import { type MovedTable, portable, type ReadPage } from '../moving/moved-table.ts'
import type { Row } from '../rows/row.ts'
import { repeatable } from '../tables/statements.ts'
import type { Database } from './database.ts'

/** Holder of reservations that were moved with queued work. */
const nobody = '00000000-0000-0000-0000-000000000000'
const sequences = [
  ['inference_numbers', 'inferences'],
  ["pg_get_serial_sequence('audit_entries', 'seq')", 'audit_entries'],
  ["pg_get_serial_sequence('usage_entries', 'seq')", 'usage_entries'],
  ["pg_get_serial_sequence('request_records', 'seq')", 'request_records'],
  ["pg_get_serial_sequence('webhook_secrets', 'seq')", 'webhook_secrets'],
] as const

/** Copies an installation into an empty database; can be resumed after an interruption. */
export class InstallationWriter {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @throws {Error} if the database contains another installation, or a complete one. */
  async begin(): Promise<void> {
    const known = await this.#database.get('select finished from imports', {}, repeatable)
    if (known?.finished === true) throw new Error('An installation was already moved into this database; start the service with it.')
    if (known === undefined && (await this.#database.get('select 1 from accounts limit 1', {}, repeatable)) !== undefined)
      throw new Error('The database already contains an installation; use an empty one.')
    await this.#database.run('insert into imports (finished) values (false) on conflict (single) do nothing', {}, repeatable)
  }

  /** Inserts the rows that do not exist yet. */
  async write({ name, columns }: MovedTable, rows: readonly Row[]): Promise<void> {
    const more = name === 'reservations' ? { holder: nobody } : {}
    const all = [...columns, ...Object.keys(more)].join(', ')
    const records = rows.map((row) => ({
      ...Object.fromEntries(columns.map((column) => [column, toColumn(column, row[column])])),
      ...more,
    }))
    const sql = `insert into ${name} (${all}) select ${all} from json_populate_recordset(null::${name}, :records::json)
      on conflict do nothing`
    await this.#database.run(sql, { records: JSON.stringify(records) }, repeatable)
  }

  readonly read: ReadPage = async ({ name, key, columns }, after, limit) => {
    const later = after === null ? '' : `where (${key.join(', ')}) > (${key.map((column) => `:${column}`).join(', ')})`
    const sql = `select ${columns.join(', ')} from ${name} ${later} order by ${key.join(', ')} limit :limit`
    return this.#database.all(sql, { ...after, limit }, repeatable)
  }

  /** Advances the sequences beyond the highest numbers and allows the service to start. */
  async finish(): Promise<void> {
    for (const [sequence, table] of sequences) {
      const name = sequence.startsWith('pg_') ? sequence : `'${sequence}'`
      await this.#database.run(`select setval(${name}, coalesce((select max(seq) from ${table}), 0) + 1, false)`, {}, repeatable)
    }
    await this.#database.run('update imports set finished = true', {}, repeatable)
  }
}

function toColumn(column: string, value: unknown): unknown {
  return column === 'cancel_requested' || column === 'running' ? value === 1 : portable(value)
}
