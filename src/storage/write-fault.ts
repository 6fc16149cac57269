import { ServiceError } from '../core/error.ts'
import { sqliteCode } from '../core/sqlite-code.ts'

/** System error codes for a read-only or failing disk, a limit on the size of files, and for a folder that is missing or not writable. */
const unwritableCodes: ReadonlySet<unknown> = new Set([
  'EROFS',
  'EFBIG',
  'EIO',
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
  'EISDIR',
  'ESTALE',
  'ENODEV',
  'ENXIO',
])

/** The error for a full disk, which may be temporary. */
export function diskFull(cause: unknown, { of = 'service' }: { readonly of?: 'service' | 'database' } = {}): ServiceError {
  return new ServiceError('server_is_overloaded', `The disk of the ${of} is full; try again later.`, { retryAfterSeconds: 30, cause })
}

/** The error for a data folder that cannot be written for another reason; the operator must fix it. */
export function unwritable(cause: unknown): ServiceError {
  const message = 'The data folder of the service cannot be written; try again later, its operator finds the cause in the log.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30, cause })
}

/** Whether a write failed because the disk or the user's quota is full. */
export function isDiskFull(error: unknown): boolean {
  const { code }: NodeJS.ErrnoException = Object(error)
  return code === 'ENOSPC' || code === 'EDQUOT' || sqliteCode(error) === 13
}

/** Maps a failed write to its error; anything but a system error stays as it is. */
export function toWriteFault(error: unknown): unknown {
  if (isDiskFull(error)) return diskFull(error)
  return error instanceof Error && 'code' in error && unwritableCodes.has(error.code) ? unwritable(error) : error
}

/** Explanations for SQLite errors that name neither the file nor the fix. See https://sqlite.org/rescode.html. */
const advice = new Map([
  [8, 'is not writable for this user; change its permissions or choose another --data.'],
  [10, 'cannot be read or locked; check the disk. If it is a network share, move the data folder to a local disk.'],
  [11, 'is damaged; restore a backup with sepia restore.'],
  [13, 'cannot be written because the disk is full; free some space and try again.'],
  [14, 'cannot be opened by this user, or is a folder; change its permissions or choose another --data.'],
  [15, 'cannot be locked on this file system; move the data folder to a local disk.'],
  [26, 'is not a database; choose another --data, or restore a backup with sepia restore.'],
])

/** The error for a file of the data folder that could not be opened, with its name and the fix; other errors stay as they are. */
export function nameOpenFault(file: string, error: unknown): unknown {
  const said = advice.get(sqliteCode(error))
  return said === undefined ? error : new Error(`${file} ${said}`, { cause: error })
}
