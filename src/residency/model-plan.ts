import type { Decision } from './residency-decision.ts'
import type { ResidentModel } from './residency-state.ts'

/** A model and what was decided about it. */
export interface ModelPlan {
  readonly model: ResidentModel
  readonly decisions: readonly Decision[]
}
