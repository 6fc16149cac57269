import { DatabaseSync } from 'node:sqlite'

/**
 * Takes an exclusive lock on a file for this process, until it is disposed of or the process dies.
 *
 * The lock is an exclusive transaction on a small database: the operating system releases it when the process ends for any reason, so that
 * no stale file can keep others out.
 *
 * @throws the error of SQLite; `isBusy` detects that another process holds the lock.
 */
export function takeFileLock(file: string): Disposable {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    lock.close()
    throw error
  }
  return { [Symbol.dispose]: () => lock.close() }
}
