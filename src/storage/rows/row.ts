/** A row as returned by any of the database drivers. */
export type Row = Readonly<Record<string, unknown>>

/** Values of parameters that every database accepts. */
export type Values = Readonly<Record<string, string | number | null>>

/** The column of a field: `createdAt` is stored in `created_at`. */
export function columnOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** The columns of fields as an SQL list, and their parameters, named after the fields. */
export function columnsOf(fields: readonly string[]): { readonly names: string; readonly parameters: string } {
  return { names: fields.map(columnOf).join(', '), parameters: fields.map((field) => `:${field}`).join(', ') }
}

/** A required text column. @throws {TypeError} for another type, which means a foreign database. */
export function readText(row: Row, column: string): string {
  const value = row[column]
  if (typeof value !== 'string') throw unexpected(column, 'text')
  return value
}

/** A nullable text column. */
export function readTextOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : readText(row, column)
}

/** A required integer column of at most 53 bits. @throws {TypeError} for another type. */
export function readInteger(row: Row, column: string): number {
  const value = row[column]
  if (typeof value !== 'number') throw unexpected(column, 'an integer')
  return value
}

/** A nullable integer column. */
export function readIntegerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : readInteger(row, column)
}

/** A required column of bytes. @throws {TypeError} for another type. */
export function readBytes(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (!(value instanceof Uint8Array)) throw unexpected(column, 'bytes')
  return value
}

/** A column with one of `values`. */
export function readOneOf<Value extends string>(row: Row, column: string, values: readonly Value[]): Value {
  const text = readText(row, column)
  const value = values.find((candidate) => candidate === text)
  if (value === undefined) throw unexpected(column, `one of ${values.join(', ')}`)
  return value
}

function unexpected(column: string, wanted: string): Error {
  return new Error(`The column ${column} does not hold ${wanted}; run "sepia doctor".`)
}
