import { ServiceError } from '../../../core/error.ts'
import { sqlState } from '../database-fault.ts'

/** What to do about a refusal, by its SQLSTATE. */
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

/** What to tell an operator whose service does not get a connection when it starts, or may not do there what it must; what is neither stays as it is. */
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
