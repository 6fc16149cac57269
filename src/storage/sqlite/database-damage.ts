import { ServiceError } from '../../core/error.ts'
import { sqliteCode } from '../../core/sqlite-code.ts'

/** SQLite's primary result codes for a damaged page and for a file that is not a database. See https://sqlite.org/rescode.html. */
const damagedCodes: ReadonlySet<number> = new Set([11, 26])
/** Codes for a disk that cannot be read and a file that cannot be opened, both possibly temporary. */
const unreadableCodes: ReadonlySet<number> = new Set([10, 14])

/** Records whether the database was found damaged, which lasts until a backup is restored. */
export class DatabaseDamage {
  #isKnown = false

  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Maps SQLite errors about an unreadable database to errors for callers; other errors stay as they are. */
  name(error: unknown): unknown {
    const code = sqliteCode(error)
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
