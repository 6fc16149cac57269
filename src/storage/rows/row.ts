/** A row as a database's driver gives it; the readers below are the same for all of them. */
export type Row = Readonly<Record<string, unknown>>

/** A column that always holds text. @throws {TypeError} when it does not: the database is not the one this code made. */
export function readText(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw unexpected(column, 'text')
  return value
}

/** A column that holds text or nothing. */
export function readTextOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : readText(row, column)
}

/** A column that always holds an integer of at most 53 bits. @throws {TypeError} when it does not. */
export function readInteger(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw unexpected(column, 'an integer')
  return value
}

/** A column that holds an integer or nothing. */
export function readIntegerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : readInteger(row, column)
}

/** A column that always holds bytes. @throws {TypeError} when it does not. */
export function readBytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw unexpected(column, 'bytes')
  return value
}

/** The one of `values` that a column holds. */
export function readOneOf<Value extends string>(row: Row, column: string, values: readonly Value[]): Value {
  const text = readText(row, column)
  const value = values.find((candidate) => candidate === text)
  if (value === undefined) throw unexpected(column, `one of ${values.join(', ')}`)
  return value
}

function unexpected(column: string, wanted: string): Error {
  return new Error(`The column ${column} does not hold ${wanted}; run "sepia doctor".`)
}
