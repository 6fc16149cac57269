import { formatMoney } from '../core/limits/model-price.ts'
import { csv } from '../core/text/csv.ts'
import { type UsageDay, usageDimensions } from '../core/usage.ts'
import type { ReportedUsage } from '../operations/report-usage.ts'

const columns = ['day', 'account', 'model', 'requests', 'failures', 'refusals', 'prompt_tokens', 'completion_tokens', 'images', 'cost']

/** Usage as a table for spreadsheets (RFC 4180). */
export function usageCsv(days: readonly UsageDay[]): string {
  const rows = days.map((row) => [
    row.day,
    row.accountId,
    row.model,
    row.requests,
    row.failures,
    row.refusals,
    row.promptTokens,
    row.completionTokens,
    row.images,
    formatMoney(row.cost),
  ])
  return csv([columns, ...rows])
}

const counts = ['requests', 'failures', 'refusals', 'prompt_tokens', 'completion_tokens', 'images', 'cost']
const latencies = ['p50_ms', 'p95_ms', 'p99_ms', 'first_token_p50_ms', 'first_token_p95_ms', 'first_token_p99_ms']

/** Sums by any dimensions as a table for spreadsheets, with ids and names. */
export function usageReportCsv(rows: readonly ReportedUsage[]): string {
  const by = usageDimensions.filter((dimension) => rows[0]?.keys[dimension] !== undefined)
  const head = by.flatMap((dimension) =>
    dimension === 'account' || dimension === 'token' ? [dimension, `${dimension}_name`] : [dimension],
  )
  const body = rows.map(({ keys, accountName, tokenName, latency, firstToken, ...sum }) => [
    ...by.flatMap((dimension) => {
      const key = keys[dimension] ?? ''
      if (dimension === 'account') return [key, accountName ?? '']
      return dimension === 'token' ? [key, tokenName ?? ''] : [key]
    }),
    sum.requests,
    sum.failures,
    sum.refusals,
    sum.promptTokens,
    sum.completionTokens,
    sum.images,
    formatMoney(sum.cost),
    ...[latency, firstToken].flatMap((percentiles) => [percentiles?.p50 ?? null, percentiles?.p95 ?? null, percentiles?.p99 ?? null]),
  ])
  return csv([[...head, ...counts, ...latencies], ...body])
}
