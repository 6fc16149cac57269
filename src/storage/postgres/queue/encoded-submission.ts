import type { Inference } from '../../../core/inference.ts'
import type { InferenceSubmission } from '../../../core/ports/inference-queue.ts'

/** A submission with its work already encoded. */
export interface EncodedSubmission extends Omit<InferenceSubmission, 'id' | 'work'> {
  readonly id: string
  readonly kind: Inference['kind']
  readonly model: string
  readonly body: Uint8Array
  readonly format: number
}
