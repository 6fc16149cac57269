import { ServiceError } from '../../core/error.ts'
import { diskFull } from '../write-fault.ts'

/** How a statement failed, to decide whether to send it again. */
export type DatabaseFault =
  /** It never began. */
  | 'unreached'
  /** Nobody knows whether it was committed. */
  | 'unknown'
  /** It was undone for the sake of another one. */
  | 'undone'
  /** Its connection had prepared it before a newer version of the service changed a table. */
  | 'outdated'
  /** It waited for too long, for a lock or a disk, as others may have. */
  | 'late'
  /** It is wrong, or there is no room for it: once more would end alike. */
  | 'refused'

/** SQLSTATE: of a standby, or of a database that is set to read-only. */
const readOnly = '25006'
const diskFullState = '53100'
/** Classes of SQLSTATE: the server has too little of something, or its machine fails it. */
const external = /^(53|58)/
/** SQLSTATE: a deadlock or a failed serialization. */
const undone = new Set(['40001', '40P01'])
/** SQLSTATE: the server cannot take a connection now (starting, stopping, too many), or is no longer the one that takes writes. */
const unreached = new Set(['57P03', '53300', '08001', '08004', readOnly])
/** SQLSTATE: a lock was not to be had in time. */
export const lockedState = '55P03'
/** SQLSTATE: the server ended it after its limit of time, for the whole or for a lock. */
const late = new Set(['57014', lockedState])
/** SQLSTATE: the server ended the connection. */
const ended = new Set(['57P01', '57P02', '57P05', '25P03', '25P04', '08000', '08003', '08006'])

/** What to make of an error of a statement that was sent; its connection is lost unless the server gave it a code. */
export function judgeFault(error: unknown): DatabaseFault {
  const code = sqlState(error)
  if (code === null || ended.has(code)) return 'unknown'
  if (undone.has(code)) return 'undone'
  if (isOutdated(error)) return 'outdated'
  if (late.has(code)) return 'late'
  return unreached.has(code) ? 'unreached' : 'refused'
}

/** The error for a caller: the database is away, read-only or too slow (503), that its disk is full or broken, or nothing for a fault of ours. */
export function toServiceError(error: unknown): unknown {
  if (error instanceof ServiceError) return error
  const code = sqlState(error)
  if (code === diskFullState) return diskFull(error, { of: 'database' })
  if (code === readOnly) return databaseReadOnly(error)
  if (code === null || judgeFault(error) !== 'refused' || external.test(code)) return databaseAway(error)
  return error
}

/** For whatever cannot be done while the database does not answer. */
export function databaseAway(cause: unknown): ServiceError {
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

/** The code is that of everything not supported, and the message in the server's language. */
function isOutdated(error: unknown): boolean {
  return sqlState(error) === '0A000' && error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'
}

/** PostgreSQL's code of an error; null when it is not the server's: a socket's or the driver's own. */
export function sqlState(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null
  return /^[0-9A-Z]{5}$/.test(error.code) && 'severity' in error ? error.code : null
}
