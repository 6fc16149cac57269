import { ServiceError } from '../../core/error.ts'
import { diskFull } from '../write-fault.ts'

/** Kinds of failed statements, which decide whether to repeat them. */
export type DatabaseFault =
  /** The statement was never sent. */
  | 'unreached'
  /** Unknown whether it was committed. */
  | 'unknown'
  /** Rolled back in favour of another transaction. */
  | 'undone'
  /** Its prepared plan is outdated because a newer version changed a table. */
  | 'outdated'
  /** It waited too long for a lock or a disk, as others may have. */
  | 'late'
  /** It is invalid or there is no space for it; repeating does not help. */
  | 'refused'

/** SQLSTATE of a standby or read-only database. */
const readOnly = '25006'
const diskFullState = '53100'
/** Classes of SQLSTATE for insufficient resources and failures of the server's machine. */
const external = /^(53|58)/
/** SQLSTATE of a deadlock or serialization failure. */
const undone = new Set(['40001', '40P01'])
/** SQLSTATE of a server that cannot accept the connection now (starting, stopping, too many), or is no longer the primary. */
const unreached = new Set(['57P03', '53300', '08001', '08004', readOnly])
/** SQLSTATE of a lock that was not available in time. */
export const lockedState = '55P03'
/** SQLSTATE of a statement that exceeded its time limit, in total or waiting for a lock. */
const late = new Set(['57014', lockedState])
/** SQLSTATE of a connection ended by the server. */
const ended = new Set(['57P01', '57P02', '57P05', '25P03', '25P04', '08000', '08003', '08006'])

/** Classifies the error of a sent statement; without a code from the server, its connection is lost. */
export function judgeFault(error: unknown): DatabaseFault {
  const code = sqlState(error)
  if (code === null || ended.has(code)) return 'unknown'
  if (undone.has(code)) return 'undone'
  if (isOutdated(error)) return 'outdated'
  if (late.has(code)) return 'late'
  return unreached.has(code) ? 'unreached' : 'refused'
}

/**
 * Maps an error for callers: a database that is unavailable, read-only or too slow (503), or whose disk is full or broken; errors of Sepia
 * itself are returned unchanged.
 */
export function toServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error
  const code = sqlState(error)
  if (code === diskFullState) return diskFull(error, { of: 'database' })
  if (code === readOnly) return databaseReadOnly(error)
  if (code === null || judgeFault(error) !== 'refused' || external.test(code)) return databaseUnavailable(error)
  return error
}

/** The error while the database does not respond. */
export function databaseUnavailable(cause: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', 'The database did not respond in time; try again later.', {
    retryAfterSeconds: 2,
    cause,
  })
}

function databaseReadOnly(cause: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', 'The database is read-only at the moment; try again later.', {
    retryAfterSeconds: 2,
    cause,
  })
}

/** Its code is that of any unsupported feature, and its message depends on the server's language. */
function isOutdated(error: unknown): boolean {
  return sqlState(error) === '0A000' && error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'
}

/** PostgreSQL's code of an error; null for errors of the socket or the driver. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : null
}
