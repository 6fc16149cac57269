import type { GraphTarget } from '../graph/find-graph-target.ts'
import type { SideBranches } from '../graph/layers.ts'
import type { WeightTable } from '../weights/weight-table.ts'

/** Options of a transformer's graph besides its weights. */
export interface TransformerGraphOptions {
  readonly target: GraphTarget
  readonly branches: SideBranches | null
  /** Blocks that are left out, for skip-layer guidance; absent = none. */
  readonly skipped?: readonly number[]
}

/** Width of one attention head where each head is normalized by itself. */
export function headWidthOf(weights: WeightTable, norm: string): number {
  return weights.sizeOf(norm, 0)
}
