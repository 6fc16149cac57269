import { ServiceError } from '../../core/error.ts'

/** SQLite's primary result codes for a page that is not what it was and a file that is no database. See https://sqlite.org/rescode.html. */
const damagedCodes: ReadonlySet<number> = new Set([11, 26])
/** Those for a disk that does not read and a file that cannot be opened, both of which may pass. */
const unreadableCodes: ReadonlySet<number> = new Set([10, 14])

/** Whether something could not be read from a database because it is damaged, which stays so until a backup is restored. */
export class DatabaseDamage {
  #isKnown = false

  get isKnown(): boolean {
    return this.#isKnown
  }

  /** An error of SQLite in words for callers where the database cannot be read; any other error as it is. */
  name(error: unknown): unknown {
    const code = error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : Number.NaN
    if (damagedCodes.has(code)) {
      this.#isKnown = true
      return unavailable('The database of the service is damaged; its operator can run `sepia doctor` and restore a backup.', error)
    }
    return unreadableCodes.has(code)
      ? unavailable('The database of the service cannot be read; its operator can check the disk and the log.', error)
      : error
  }
}

function unavailable(message: string, cause: unknown): ServiceError {
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 60, cause })
}
