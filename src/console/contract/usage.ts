import type { Budget } from '../../core/limits/budget.ts'
import type { UsageDay } from '../../core/usage.ts'

/** The query of GET /console/api/usage and /console/api/usage.csv. */
export interface UsageQuery {
  /** `YYYY-MM-DD`, UTC, itself included. */
  readonly from: string
  readonly to: string
  readonly of: 'me' | 'everyone'
}

/** GET /console/api/usage. */
export interface Usage {
  readonly days: readonly UsageDay[]
  /** Of who asks, where an owner has set limits: how much of each is gone. */
  readonly budgets: readonly Budget[]
}
