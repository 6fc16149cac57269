import { Client, type ClientConfig, DatabaseError } from 'pg'
import { ServiceError } from '../../../core/error.ts'
import { readText } from '../../rows/row.ts'
import { sqlState } from '../database-fault.ts'

const connectLimitMs = 5000

/**
 * Connection options for an address, with additional settings that override those in the address. Certificates are verified whenever TLS is
 * requested, except with `no-verify`.
 *
 * @param url In the format of `database-url`.
 * @param settings In the form `-c name=value`.
 */
export function connectionTo(url: string, settings: string): Pick<ClientConfig, 'connectionString' | 'options'> {
  const address = new URL(url)
  const named = address.searchParams.get('options')
  address.searchParams.delete('options')
  // The driver treats these as `verify-full`, with a warning.
  if (/^(prefer|require|verify-ca)$/.test(address.searchParams.get('sslmode') ?? '') && !address.searchParams.has('uselibpqcompat'))
    address.searchParams.set('sslmode', 'verify-full')
  return { connectionString: address.href, options: named === null ? settings : `${named} ${settings}` }
}

/**
 * Opens a temporary connection outside of the pool.
 *
 * @throws {Error} with the fix if the server is unreachable or refuses.
 */
export async function connect(url: string, { settings, ...rest }: { readonly settings: string } & ClientConfig): Promise<Client> {
  const made: Client[] = []
  try {
    const client = new Client({ ...connectionTo(url, settings), connectionTimeoutMillis: connectLimitMs, ...rest })
    made.push(client)
    client.on('error', () => {})
    await client.connect()
    return client
  } catch (error) {
    await made[0]?.end().catch(() => {})
    throw explainRefusal(error, url)
  }
}

/** Fixes for refusals, by SQLSTATE. */
const remedies: Readonly<Record<string, string>> = {
  '28000': 'correct user and password in database-url, or let pg_hba.conf admit them',
  '28P01': 'correct user and password in database-url',
  '3D000': 'create it with CREATE DATABASE, or correct database-url',
  '53100': 'free space on the disk of PostgreSQL',
  '53300': 'raise max_connections, or the limit of the role or the database: a node needs up to nine',
  '55000': 'allow connections (ALTER DATABASE … ALLOW_CONNECTIONS true)',
  '55P03': 'another session has locked a table of the service for a minute: end the oldest one in pg_stat_activity, and start again',
  '42501': 'make the role of database-url the owner of everything the service created in the database (REASSIGN OWNED)',
}

const certificateFault = /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID)$/

/** Explains to the operator why the service cannot connect at its start or lacks a permission; other errors stay as they are. */
export function explainRefusal(error: unknown, url: string): unknown {
  if (!(error instanceof Error) || error instanceof ServiceError) return error
  const state = sqlState(error)
  if (state !== null && remedies[state] !== undefined)
    return new Error(`PostgreSQL refuses: ${error.message}; ${remedies[state]}.`, { cause: error })
  const { code, path } = error as { readonly code?: unknown; readonly path?: unknown }
  if (typeof path === 'string')
    return new Error(`${path} cannot be read (${code}); correct sslrootcert, sslcert or sslkey in database-url.`, { cause: error })
  if (state !== null && !state.startsWith('57P') && !state.startsWith('08')) return error
  const { hostname, port } = new URL(url)
  return new ServiceError(
    'server_is_overloaded',
    `The database at ${hostname}:${port || 5432} cannot be used: ${error.message}${hint(error)}.`,
    {
      retryAfterSeconds: 2,
      cause: error,
    },
  )
}

function hint({ message, ...error }: Error & { readonly code?: unknown }): string {
  if (message.includes('does not support SSL')) return '; turn TLS on there, or remove sslmode from database-url'
  if (message.includes('password must be a string')) return '; write the password into database-url'
  return certificateFault.test(String(error.code))
    ? '; set the authority of its certificate with sslrootcert=<file> in database-url'
    : '; start it, or correct database-url'
}

const statementTimeoutMs = '5000'

/**
 * Settings of every connection, as in `pg_settings`. Commits are durable regardless of the server's default. Rows must be found by their
 * keys: plans made for an empty table, or with a wrong estimate, would scan whole tables. They must also be read in index order: a bitmap
 * scan needs a sort, for which a claim would read all waiting rows.
 */
const sessionSettings = {
  synchronous_commit: 'on',
  statement_timeout: statementTimeoutMs,
  lock_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: '10000',
  // Pooled connections are idle between requests.
  idle_session_timeout: '0',
  default_transaction_isolation: 'read committed',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
}

/** The settings as connection options. */
export const sessionOptions = Object.entries(sessionSettings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ')

/** SQLSTATE of a pooler's answer to unknown settings. */
const protocolViolation = '08P01'
/** Number of checks with two connections; a shared pooler may keep them apart once by chance. */
const looks = 3

/**
 * Checks that a connection is a session on the server with the requested settings, which a pooler may break.
 *
 * @throws {Error} with the fix if it is not.
 */
export async function checkSessions(url: string): Promise<void> {
  await using clients = new AsyncDisposableStack()
  const open = async () => clients.adopt(await openClient(url), (client) => client.end().catch(() => {}))
  const [one, other] = await Promise.all([open(), open()])
  const { rows } = await one.query(
    `select string_agg(name, ', ' order by name) as missing from unnest($1::text[], $2::text[]) as wanted (name, value)
       join pg_settings using (name) where setting <> value having count(*) > 0`,
    [Object.keys(sessionSettings), Object.values(sessionSettings)],
  )
  if (rows[0] !== undefined) throw lacking(readText(rows[0], 'missing'))
  for (let look = 0; look < looks; look++)
    if ((await readProcess(one)) === (await readProcess(other)))
      throw new Error(
        'database-url leads to a pooler in transaction mode, which does not support prepared statements and notifications; use the server itself or a pooler in session mode.',
      )
}

async function openClient(url: string): Promise<Client> {
  const checkOptions = { settings: sessionOptions, query_timeout: 5000, application_name: 'sepia check' }
  return connect(url, checkOptions).catch((error: Error) => {
    throw error.cause instanceof DatabaseError && error.cause.code === protocolViolation ? lacking('all of them') : error
  })
}

async function readProcess(client: Client): Promise<unknown> {
  return (await client.query('select pg_backend_pid() as process')).rows[0]?.process
}

function lacking(names: string): Error {
  return new Error(
    `The connection of database-url lacks the settings that the service needs (${names}), as behind a pooler; use the server itself, or let the pooler ignore the startup parameter "options" and set them with ALTER ROLE.`,
  )
}
