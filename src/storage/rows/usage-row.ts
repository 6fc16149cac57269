import type { BudgetSums, UsedSums } from '../../core/limits/budget.ts'
import { latencyBucket } from '../../core/limits/latency.ts'
import { keyOfSum, type UsageCounts, type UsageDay, type UsageDimension, type UsageEntry, type UsageSum } from '../../core/usage.ts'
import { type Row, readInteger, readText } from './row.ts'

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

/** The columns of entries that sums add up, besides their count. */
export const sums: readonly string[] = ['failures', 'refusals', 'prompt_tokens', 'completion_tokens', 'images', 'cost']
/** The count of entries and those sums, as a query selects them. */
export const summed: string = `count(*), ${sums.map((name) => `sum(${name})`).join(', ')}`

/** How an entry counts among those that came to nothing. */
export function countOutcome({ outcome }: Pick<UsageEntry, 'outcome'>): { readonly failures: 0 | 1; readonly refusals: 0 | 1 } {
  return { failures: outcome === 'failed' ? 1 : 0, refusals: outcome === 'refused' ? 1 : 0 }
}

/** The parameters that keep an entry's latencies; null = there was none. */
export function latencyBuckets({ durationMs, firstTokenMs }: Pick<UsageEntry, 'durationMs' | 'firstTokenMs'>): {
  readonly whole: number
  readonly first: number | null
} {
  return { whole: latencyBucket(durationMs), first: firstTokenMs === null ? null : latencyBucket(firstTokenMs) }
}

/** The columns that hold what usage is grouped by; an hour is made of two by each database in its own way. */
export const dimensionColumns = { account: 'account_id', token: 'token_id', model: 'model', day: 'day', hour: 'hour_name' } as const

/** Puts sums and the latencies of the same keys together. Rows have the columns of {@link dimensionColumns}; latencies also `what`, `bucket` and `count`. */
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

/** What a subject has used and set aside; without the columns of what is set aside, nothing is. */
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
