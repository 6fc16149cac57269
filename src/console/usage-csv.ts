import { formatMoney } from '../core/limits/model-price.ts'
import type { UsageDay } from '../core/usage.ts'
import { csv } from './csv.ts'

const columns = ['day', 'account', 'model', 'requests', 'failures', 'prompt_tokens', 'completion_tokens', 'images', 'cost']

/** Usage as a table for spreadsheets (RFC 4180). */
export function usageCsv(days: readonly UsageDay[]): string {
  const rows = days.map((row) => [
    row.day,
    row.accountId,
    row.model,
    row.requests,
    row.failures,
    row.promptTokens,
    row.completionTokens,
    row.images,
    formatMoney(row.cost),
  ])
  return csv([columns, ...rows])
}
