import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from 'pg'
import { readInteger } from '../../rows/row.ts'
import { connect, explainRefusal } from '../connecting/connection.ts'
import { lockedState, sqlState } from '../database-fault.ts'
import { type Migration, migrations as released } from './migrations.ts'

/** Advisory lock that serializes migrations of nodes that start at once. */
export const migrationLock = 7_335_742_001
const oldestServer = 150_000
/**
 * Lock wait per attempt of a migration, since a table may be in use for hours, as by a backup, and queries of other nodes queue behind the
 * waiting lock. Longer than `deadlock_timeout`, one second by default, after which PostgreSQL ends an automatic vacuum of the table.
 */
const lockLimitMs = 2000
const pauseMs = 2000
const lockWaitLimitMs = 60_000

/**
 * Migrates the schema of a database; concurrent callers wait for the first.
 *
 * @returns Warnings about the server, in sentences.
 * @throws {Error} if the server is too old or may lose commits, or the database needs a newer program.
 */
export async function migrate(url: string, migrations: readonly Migration[] = released): Promise<readonly string[]> {
  // Some migrations take long, and so does waiting for them. The limits of the role must not end even the first statement.
  const settings = '-c statement_timeout=0 -c lock_timeout=0 -c idle_session_timeout=0'
  const client = await connect(url, { settings, application_name: 'sepia migration' })
  try {
    // If a migrating machine disappears, the others wait a minute instead of the hours until the system notices.
    await client.query('set tcp_keepalives_idle = 30; set tcp_keepalives_interval = 10; set tcp_keepalives_count = 3')
    const warnings = await examineServer(client)
    await client.query(`select pg_advisory_lock(${migrationLock})`)
    await client.query(`set lock_timeout = ${lockLimitMs}`)
    await takeSteps(client, migrations)
    return warnings
  } catch (error) {
    throw sqlState(error) === null ? error : explainRefusal(error, url)
  } finally {
    await client.end().catch(() => {})
  }
}

async function takeSteps(client: Client, migrations: readonly Migration[]): Promise<void> {
  await client.query('create table if not exists schema_version (version integer not null, least_program integer not null)')
  const { rows } = await client.query('select version, least_program from schema_version')
  const [known] = rows
  const version = known === undefined ? 0 : readInteger(known, 'version')
  if (known !== undefined && readInteger(known, 'least_program') > migrations.length)
    throw new Error(`The database was changed by a newer version of the service (schema ${version}); start that version.`)
  for (const [index, migration] of migrations.entries()) if (index >= version) await takeStep(client, index + 1, migration)
}

async function takeStep(client: Client, version: number, { sql, leastProgram }: Migration): Promise<void> {
  for (const until = performance.now() + lockWaitLimitMs; ; ) {
    try {
      await client.query('begin')
      await client.query(sql)
      await client.query('delete from schema_version')
      await client.query('insert into schema_version (version, least_program) values ($1, $2)', [version, leastProgram])
      await client.query('commit')
      return
    } catch (error) {
      if (sqlState(error) !== lockedState || performance.now() >= until) throw error
      await client.query('rollback')
      await pause(pauseMs)
    }
  }
}

/** @throws {Error} if the server is unsuitable. */
export async function examineServer(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::integer as version, current_setting('server_version') as name, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as pages, current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
       current_setting('synchronous_standby_names') as standbys,
       current_setting('transaction_read_only') as read_only, current_database() as database, current_user as role, current_schema() as schema,
       has_schema_privilege(current_schema(), 'create') as may_create`,
  )
  const [server] = rows
  if (readInteger(server, 'version') < oldestServer)
    throw new Error(`PostgreSQL 15 or newer is needed; the server of database-url is ${server.name}.`)
  if (server.standby) throw new Error('The server of database-url is a read-only standby; use the primary.')
  if (server.fsync !== 'on' || server.pages !== 'on')
    throw new Error('The server of database-url may lose confirmed writes (fsync or full_page_writes is off); turn both on.')
  if (server.encoding !== 'UTF8') throw new Error(`The database is encoded in ${server.encoding}; create one with encoding UTF8.`)
  if (server.read_only === 'on')
    throw new Error('The database is read-only (default_transaction_read_only is on); turn that off, or use the primary.')
  if (server.schema === null)
    throw new Error('The search_path of the connection names no existing schema; correct it for the role or the database.')
  if (!server.may_create)
    throw new Error(
      `The role "${server.role}" may not create tables; run GRANT CREATE ON SCHEMA "${server.schema}" TO "${server.role}" in the database "${server.database}".`,
    )
  return server.standbys === '' ? ['PostgreSQL has no synchronous standby: if its machine is lost, accepted requests may be lost too.'] : []
}
