import type { BudgetSums, UsedSums } from '../../core/limits/budget.ts'
import { latencyBucket } from '../../core/limits/latency.ts'
import { keyOfSum, type UsageCounts, type UsageDay, type UsageDimension, type UsageEntry, type UsageSum } from '../../core/usage.ts'
import { columnsOf, type Row, readInteger, readText, type Values } from './row.ts'

/** Sums of one day, account and model. */
export function readUsageDay(row: Row): UsageDay {
  return {
    day: readText(row, 'day'),
    accountId: readText(row, 'account_id'),
    model: readText(row, 'model'),
    ...readCounts(row),
  }
}

function readCounts(row: Row): UsageCounts {
  return {
    requests: readInteger(row, 'requests'),
    failures: readInteger(row, 'failures'),
    refusals: readInteger(row, 'refusals'),
    promptTokens: readInteger(row, 'prompt_tokens'),
    completionTokens: readInteger(row, 'completion_tokens'),
    images: readInteger(row, 'images'),
    cost: readInteger(row, 'cost'),
  }
}

/** Columns of entries that are summed, besides the number of entries. */
export const sums: readonly string[] = ['failures', 'refusals', 'prompt_tokens', 'completion_tokens', 'images', 'cost']

/** The UTC day of a time, as in the column `day`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The count and sums as selected by a query. */
export const summed: string = `count(*), ${sums.map((name) => `sum(${name})`).join(', ')}`

/** Counts an entry as a failure or refusal. */
export function countOutcome({ outcome }: Pick<UsageEntry, 'outcome'>): { readonly failures: 0 | 1; readonly refusals: 0 | 1 } {
  return { failures: outcome === 'failed' ? 1 : 0, refusals: outcome === 'refused' ? 1 : 0 }
}

/** Parameters for an entry's latencies; null = not measured. */
export function latencyBuckets({ durationMs, firstTokenMs }: Pick<UsageEntry, 'durationMs' | 'firstTokenMs'>): {
  readonly whole: number
  readonly first: number | null
} {
  return { whole: latencyBucket(durationMs), first: firstTokenMs === null ? null : latencyBucket(firstTokenMs) }
}

/** Columns of `usage_entries` except its number. */
export const entryColumns = columnsOf([
  ...['day', 'at', 'accountId', 'tokenId', 'model', 'failures', 'refusals', 'promptTokens', 'completionTokens', 'images', 'cost'],
  ...['wholeBucket', 'firstBucket', 'workId'],
])

/** Parameters for writing an entry. @param id Its work, so that a repeated write adds it once. */
export function entryParameters(entry: UsageEntry, id: string | undefined): Values {
  const { accountId, tokenId, model, promptTokens, completionTokens, images, cost, at } = entry
  const { whole, first } = latencyBuckets(entry)
  const counts = { ...countOutcome(entry), promptTokens, completionTokens, images, cost, wholeBucket: whole, firstBucket: first }
  return { day: dayOf(at), at, accountId, tokenId, model, ...counts, workId: id ?? null }
}

/** Columns of the grouping dimensions; each database builds hours from two columns in its own way. */
export const dimensionColumns = { account: 'account_id', token: 'token_id', model: 'model', day: 'day', hour: 'hour_name' } as const

/**
 * Combines sums and latencies with equal keys. Rows have the columns of {@link dimensionColumns}; latencies also `what`, `bucket` and
 * `count`.
 */
export function readUsageSums(by: readonly UsageDimension[], sums: readonly Row[], latencies: readonly Row[]): readonly UsageSum[] {
  const keysOf = (row: Row): UsageSum['keys'] =>
    Object.fromEntries(by.map((dimension) => [dimension, readText(row, dimensionColumns[dimension])]))
  const histograms = Map.groupBy(latencies, (row) => `${readInteger(row, 'what')} ${keyOfSum(by, keysOf(row))}`)
  return sums.map((row) => {
    const keys = keysOf(row)
    const histogram = (what: 0 | 1) =>
      (histograms.get(`${what} ${keyOfSum(by, keys)}`) ?? []).map(
        (each) => [readInteger(each, 'bucket'), readInteger(each, 'count')] as const,
      )
    return {
      keys,
      ...readCounts(row),
      latency: histogram(0),
      firstToken: histogram(1),
    }
  })
}

/** Used and reserved amounts of a subject; absent columns of reservations mean none. */
export function readBudgetSums(row: Row): BudgetSums {
  const read = (column: string) => (row[column] === undefined ? 0 : readInteger(row, column))
  const used = (kind: string): UsedSums => ({
    tokens: read(`${kind}_tokens`),
    images: read(`${kind}_images`),
    money: read(`${kind}_money`),
  })
  return {
    used: { minute: used('minute'), day: used('day'), month: used('month') },
    reserved: {
      ...used('reserved'),
      running: { requests: read('running_requests'), tokens: read('running_tokens'), images: read('running_images') },
    },
  }
}
