import type { UsageDay } from '../core/usage.ts'

const columns = ['day', 'account', 'model', 'requests', 'failures', 'prompt_tokens', 'completion_tokens', 'images']

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
  ])
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')
}

/** A leading sign would make a spreadsheet run the cell as a formula. */
function cell(value: string | number): string {
  const text = typeof value === 'string' ? value.replace(/^(?=[=+@-])/, "'") : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
