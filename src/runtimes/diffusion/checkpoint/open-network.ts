import type { OnnxSession } from '../onnx/onnx-session.ts'
import type { GraphTarget } from './graph/graph-target.ts'
import type { WeightTable } from './weights/weight-table.ts'

/** A session over a checkpoint's weights; disposing it frees what it holds besides them. */
export interface OpenedNetwork extends AsyncDisposable {
  readonly session: OnnxSession
}

/** Opens a graph written for weights as a session; `part` names it in messages. */
export type OpenNetwork = (weights: WeightTable, part: string, write: (target: GraphTarget) => Uint8Array) => Promise<OpenedNetwork>
