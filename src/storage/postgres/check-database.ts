import type { Client } from 'pg'
import { readInteger } from '../rows/row.ts'
import { checkSessions, connect, sessionOptions } from './connecting/connection.ts'
import { examineServer } from './schema/migrate.ts'
import { migrations } from './schema/migrations.ts'

/** Result of checking a reachable and suitable database. */
export interface DatabaseCheck {
  /** Number of migrations applied and known to this version. */
  readonly steps: { readonly taken: number; readonly known: number }
  /** Warnings about the server, in sentences. */
  readonly warnings: readonly string[]
}

/**
 * Checks a database without changing it.
 *
 * @throws {Error} if it is unreachable or unsuitable, or contains an incomplete installation.
 */
export async function checkDatabase(url: string): Promise<DatabaseCheck> {
  await checkSessions(url)
  const client = await connect(url, { settings: sessionOptions, query_timeout: 5000, application_name: 'sepia doctor' })
  try {
    const warnings = await examineServer(client)
    return { steps: { taken: await readSteps(client), known: migrations.length }, warnings }
  } finally {
    await client.end().catch(() => {})
  }
}

async function readSteps(client: Client): Promise<number> {
  const { rows: tables } = await client.query(
    `select to_regclass('schema_version') is not null as made, to_regclass('imports') is not null as moves`,
  )
  if (tables[0]?.made !== true) return 0
  const moving = tables[0].moves === true && (await client.query('select 1 from imports where not finished')).rows.length > 0
  if (moving) throw new Error('A migration into this database is not complete; run sepia migrate again.')
  const { rows } = await client.query('select version from schema_version')
  return rows[0] === undefined ? 0 : readInteger(rows[0], 'version')
}
