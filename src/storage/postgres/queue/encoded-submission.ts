import type { Inference } from '../../../core/inference.ts'
import type { InferenceSubmission } from '../../../core/ports/inference-queue.ts'

/** A submission with its work already encoded. */
export interface EncodedSubmission extends Omit<InferenceSubmission, 'id' | 'work'> {
  readonly id: string
  readonly kind: Inference['kind']
  readonly model: string
  /** The work, or a reference to where it lies. */
  readonly body: Uint8Array
  /** Bytes of the work, wherever they lie. */
  readonly workBytes: number
  readonly format: number
  readonly traceparent: string | null
}
