import { type Client, DatabaseError } from 'pg'
import { readText } from '../../rows/row.ts'
import { connect } from './connection.ts'

const statementTimeoutMs = '5000'

/**
 * Settings of every connection, as `pg_settings` shows them. Commits are durable whatever the server's own default is; rows are to be found by their keys,
 * because a plan that was made while a table was empty, or an estimate that is wrong for a second, would read all of it for a handful;
 * and in the order of their index, because a bitmap is sorted afterwards, so that a claim read all that waited.
 */
const sessionSettings = {
  synchronous_commit: 'on',
  statement_timeout: statementTimeoutMs,
  lock_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: '10000',
  // A pool's connections are idle between requests.
  idle_session_timeout: '0',
  default_transaction_isolation: 'read committed',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
}

/** The same as a connection is asked for with them. */
export const sessionOptions = Object.entries(sessionSettings)
  .map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  .join(' ')

/** SQLSTATE: what a pooler says to settings that it does not know. */
const protocolViolation = '08P01'
/** Times that two connections are looked at; a pooler that others use at the same time may give each its own once. */
const looks = 3

/**
 * Sees that a connection is a session of the server's own, with the settings that it is asked for: behind a pooler it may be neither.
 *
 * @throws {Error} when it is not, with what to change.
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
  const asked = { settings: sessionOptions, query_timeout: 5000, application_name: 'sepia check' }
  return connect(url, asked).catch((error: Error) => {
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
