/** The primary result code of an error from `node:sqlite`; NaN for other errors. See https://sqlite.org/rescode.html. */
export function sqliteCode(error: unknown): number {
  const code = extendedCode(error)
  return code === null ? Number.NaN : code & 0xff
}

/** The extended result code of an error from `node:sqlite`; null for other errors. */
export function extendedCode(error: unknown): number | null {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : null
}

/** Whether another process holds a lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === 5
}
