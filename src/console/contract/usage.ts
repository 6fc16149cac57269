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
}
