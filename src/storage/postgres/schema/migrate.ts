import { Client } from 'pg'
import { readInteger } from '../../rows/row.ts'
import { toServiceError } from '../database-fault.ts'
import { type Migration, migrations as released } from './migrations.ts'

/** Nodes that start at once migrate one after the other; the number means nothing to anybody else. */
const migrationLock = 7_335_742_001
const oldestServer = 150_000

/**
 * Brings the schema of a database to today's; of several that start at once one does, the others wait.
 *
 * @returns What the operator should know of the server, sentence by sentence.
 * @throws {Error} when the server is too old or would lose commits, or the database needs a newer program.
 */
export async function migrate(url: string, migrations: readonly Migration[] = released): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000, application_name: 'sepia migration' })
  client.on('error', () => {})
  try {
    await client.connect().catch((error: unknown) => {
      throw toServiceError(error)
    })
    const warnings = await examineServer(client)
    await client.query("set lock_timeout = '60s'")
    await client.query(`select pg_advisory_lock(${migrationLock})`)
    await takeSteps(client, migrations)
    return warnings
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
  for (const [index, { sql, leastProgram }] of migrations.entries()) {
    if (index < version) continue
    await client.query('begin')
    await client.query(sql)
    await client.query('delete from schema_version')
    await client.query('insert into schema_version (version, least_program) values ($1, $2)', [index + 1, leastProgram])
    await client.query('commit')
  }
}

/** @throws {Error} when the server is not fit for the service. */
export async function examineServer(client: Client): Promise<readonly string[]> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::integer as version, current_setting('server_version') as name, current_setting('fsync') as fsync,
       current_setting('full_page_writes') as pages, current_setting('server_encoding') as encoding, pg_is_in_recovery() as standby,
       current_setting('synchronous_standby_names') as standbys`,
  )
  const [server] = rows
  if (readInteger(server, 'version') < oldestServer)
    throw new Error(`PostgreSQL 15 or newer is needed; the server of database-url is ${server.name}.`)
  if (server.standby) throw new Error('The server of database-url is a standby that takes no writes; name the primary.')
  if (server.fsync !== 'on' || server.pages !== 'on')
    throw new Error('The server of database-url would lose what it has confirmed (fsync or full_page_writes is off); turn both on.')
  if (server.encoding !== 'UTF8') throw new Error(`The database is encoded in ${server.encoding}; create one with encoding UTF8.`)
  return server.standbys === ''
    ? ['PostgreSQL has no synchronous standby: when its machine is lost, requests that were accepted may be lost with it.']
    : []
}
