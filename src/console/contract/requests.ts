import type { Inference, InferenceStatus } from '../../core/inference.ts'
import type { InferencePage } from '../../core/ports/inference-log.ts'

/** The query of GET /console/api/requests. */
export interface RequestQuery {
  /** null = any. */
  readonly status: InferenceStatus | null
  /** `next` of the page before; null = from the newest. */
  readonly after: string | null
}

/** GET /console/api/requests. */
export type RequestPage = InferencePage

/** GET /console/api/requests/:id. */
export interface RequestShown {
  readonly inference: Inference
}
