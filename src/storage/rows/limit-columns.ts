import type { AccountLimits, UseLimits } from '../../core/limits/use-limits.ts'
import { type Row, readIntegerOrNull, type Values } from './row.ts'

/** Limits and their columns in `accounts` and `access_tokens`. */
export const limitColumns = [
  ['requestsPerMinute', 'requests_per_minute'],
  ['tokensPerMinute', 'tokens_per_minute'],
  ['imagesPerMinute', 'images_per_minute'],
  ['concurrentRequests', 'concurrent_requests'],
  ['tokensPerDay', 'tokens_per_day'],
  ['imagesPerDay', 'images_per_day'],
  ['moneyPerDay', 'money_per_day'],
  ['tokensPerMonth', 'tokens_per_month'],
  ['imagesPerMonth', 'images_per_month'],
  ['moneyPerMonth', 'money_per_month'],
] as const satisfies readonly (readonly [keyof UseLimits, string])[]

/** Limits and their columns in `accounts`. */
export const accountLimitColumns = [
  ...limitColumns,
  ['weight', 'weight'],
  ['pendingRequests', 'pending_requests'],
  ['openStreams', 'open_streams'],
  ['storedBytes', 'stored_bytes'],
] as const satisfies readonly (readonly [keyof AccountLimits, string])[]

/** Columns of `accounts` as an SQL list. */
export const accountLimitNames = accountLimitColumns.map(([, column]) => column).join(', ')
/** Their parameters, named after the limits. */
export const accountLimitParameters = accountLimitColumns.map(([name]) => `:${name}`).join(', ')
/** Columns of `access_tokens` as an SQL list. */
export const limitNames = limitColumns.map(([, column]) => column).join(', ')
/** Their parameters, named after the limits. */
export const limitParameters = limitColumns.map(([name]) => `:${name}`).join(', ')

/** Reads limits from a row whose columns may have a prefix. */
export function readLimits(row: Row, prefix = ''): UseLimits {
  const read = (column: (typeof limitColumns)[number][1]) => readIntegerOrNull(row, `${prefix}${column}`)
  return {
    requestsPerMinute: read('requests_per_minute'),
    tokensPerMinute: read('tokens_per_minute'),
    imagesPerMinute: read('images_per_minute'),
    concurrentRequests: read('concurrent_requests'),
    tokensPerDay: read('tokens_per_day'),
    imagesPerDay: read('images_per_day'),
    moneyPerDay: read('money_per_day'),
    tokensPerMonth: read('tokens_per_month'),
    imagesPerMonth: read('images_per_month'),
    moneyPerMonth: read('money_per_month'),
  }
}

/** Reads limits from a row of `accounts`. */
export function readAccountLimits(row: Row): AccountLimits {
  return {
    ...readLimits(row),
    weight: readIntegerOrNull(row, 'weight'),
    pendingRequests: readIntegerOrNull(row, 'pending_requests'),
    openStreams: readIntegerOrNull(row, 'open_streams'),
    storedBytes: readIntegerOrNull(row, 'stored_bytes'),
  }
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
