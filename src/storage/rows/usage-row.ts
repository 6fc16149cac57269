import type { UsageDay } from '../../core/usage.ts'
import { type Row, readInteger, readText } from './row.ts'

/** Sums of one day, account and model. */
export function readUsageDay(row: Row): UsageDay {
  return {
    day: readText(row, 'day'),
    accountId: readText(row, 'account_id'),
    model: readText(row, 'model'),
    requests: readInteger(row, 'requests'),
    failures: readInteger(row, 'failures'),
    promptTokens: readInteger(row, 'prompt_tokens'),
    completionTokens: readInteger(row, 'completion_tokens'),
    images: readInteger(row, 'images'),
    cost: readInteger(row, 'cost'),
  }
}
