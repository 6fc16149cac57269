import { ServiceError } from '../core/error.ts'

/** What the system says where a disk turned read-only or fails, or a folder is gone or no longer this user's. */
const unwritableCodes: ReadonlySet<unknown> = new Set([
  'EROFS',
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

/** What a full disk answers: nobody's fault, and it may pass. */
export function diskFull(cause: unknown, { of = 'service' }: { readonly of?: 'service' | 'database' } = {}): ServiceError {
  return new ServiceError('server_is_overloaded', `The disk of the ${of} is full; try again later.`, { retryAfterSeconds: 30, cause })
}

/** What a data folder that cannot be written for any other reason answers: it is its operator's to mend. */
export function unwritable(cause: unknown): ServiceError {
  const message = 'The data folder of the service cannot be written; try again later, its operator finds the cause in the log.'
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 30, cause })
}

/** Whether the system refused to write for want of room, of the disk or of what this user may fill. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** The error for a file that was not written; anything but a fault of the system stays as it is. */
export function toWriteFault(error: unknown): unknown {
  if (isDiskFull(error)) return diskFull(error)
  return error instanceof Error && 'code' in error && unwritableCodes.has(error.code) ? unwritable(error) : error
}

/** SQLite's own words for these say neither which file is meant nor what to do. See https://sqlite.org/rescode.html. */
const advice = new Map([
  [8, 'is not writable for this user; change its permissions or choose another --data.'],
  [11, 'is damaged; restore a backup with sepia restore.'],
  [13, 'cannot be written because the disk is full; free some space and try again.'],
  [14, 'cannot be opened by this user, or is a folder; change its permissions or choose another --data.'],
  [26, 'is not a database; choose another --data, or restore a backup with sepia restore.'],
])

/** What kept a file of the data folder from being opened, with its name and what to do; any other error as it is. */
export function nameOpenFault(file: string, error: unknown): unknown {
  const said = advice.get(sqliteCode(error))
  return said === undefined ? error : new Error(`${file} ${said}`, { cause: error })
}

/** Whether another process holds what was asked for. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === 5
}

/** The primary code in an error of `node:sqlite`; NaN for any other error. */
function sqliteCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : Number.NaN
}
