import type { Budget } from '../../core/limits/budget.ts'
import type { UsageDay } from '../../core/usage.ts'
import type { ReportedUsage } from '../../operations/report-usage.ts'

/** The query of GET /console/api/usage and /console/api/usage.csv. */
export interface UsageQuery {
  /** `YYYY-MM-DD`, UTC, inclusive. */
  readonly from: string
  readonly to: string
  readonly of: 'me' | 'everyone'
}

/** The query of GET /console/api/usage/report and /console/api/usage/report.csv. */
export interface UsageReportQuery extends UsageQuery {
  /** Dimensions of the sums, separated by commas: `account`, `token`, `model`, `day`, `hour`. */
  readonly by: string
}

/** GET /console/api/usage/report. */
export interface UsageReport {
  readonly rows: readonly ReportedUsage[]
}

/** GET /console/api/usage. */
export interface Usage {
  readonly days: readonly UsageDay[]
  /** The caller's budgets, if an owner has set limits, with their use. */
  readonly budgets: readonly Budget[]
}
