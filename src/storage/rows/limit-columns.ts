import { type AccountLimits, limitNames, type UseLimits, useLimitNames } from '../../core/limits/use-limits.ts'
import { columnOf, type Row, readIntegerOrNull, type Values } from './row.ts'

/** Limits and their columns in `accounts` and `access_tokens`. */
export const limitColumns = useLimitNames.map((name) => [name, columnOf(name)] as const)
/** Limits and their columns in `accounts`. */
export const accountLimitColumns = limitNames.map((name) => [name, columnOf(name)] as const)

/** Reads limits from a row whose columns may have a prefix. */
export function readLimits(row: Row, prefix = ''): UseLimits {
  return readColumns(row, limitColumns, prefix)
}

/** Reads limits from a row of `accounts`. */
export function readAccountLimits(row: Row): AccountLimits {
  return readColumns(row, accountLimitColumns)
}

function readColumns<Name extends string>(
  row: Row,
  columns: readonly (readonly [Name, string])[],
  prefix = '',
): Readonly<Record<Name, number | null>> {
  const read = columns.map(([name, column]) => [name, readIntegerOrNull(row, prefix + column)])
  // Its keys are the names.
  return Object.fromEntries(read) as Readonly<Record<Name, number | null>>
}

/** Columns and values for a change of limits. */
export function limitChanges(limits: Partial<AccountLimits>): readonly (readonly [string, number | null])[] {
  return accountLimitColumns.flatMap(([name, column]) => {
    const value = limits[name]
    return value === undefined ? [] : [[column, value] as const]
  })
}

/** The assignments of an update that changes given columns, and the values of their parameters; without changes it still finds its row. */
export function writeChanges(columns: readonly (readonly [string, string | number | null])[]): {
  readonly assignments: string
  readonly values: Values
} {
  return {
    assignments: ['id = id', ...columns.map(([column]) => `${column} = :${column}`)].join(', '),
    values: Object.fromEntries(columns),
  }
}
