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
