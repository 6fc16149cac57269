import type { TransformerFamily } from '../../../../core/checkpoint/checkpoint-family.ts'
import type { JsonRecord } from '../../onnx/model-file.ts'
import type { FlowSchedule } from '../../schedulers/levels/flow-sigmas.ts'

/** Properties common to a family's models that files do not contain. */
export interface TransformerRules {
  readonly scalingFactor: number
  readonly shiftFactor: number
  /** Default scheduler options, named as in diffusers. */
  readonly schedule: JsonRecord
  readonly spacing: FlowSchedule['spacing']
  /** Most tokens of a text that the language model or T5 reads. */
  readonly maxTokens: number
  /** Angles of one token's place: base of their frequencies and how many elements of a head each axis turns. */
  readonly rotation: { readonly theta: number; readonly axes: readonly number[] } | null
}

const flux = {
  scalingFactor: 0.3611,
  shiftFactor: 0.1159,
  spacing: 'even',
  rotation: { theta: 10_000, axes: [16, 56, 56] },
} as const

export const transformerRules: Readonly<Record<TransformerFamily, TransformerRules>> = {
  'flux-dev': { ...flux, maxTokens: 512, schedule: { shift: 3, use_dynamic_shifting: true } },
  'flux-schnell': { ...flux, maxTokens: 256, schedule: { shift: 1, use_dynamic_shifting: false } },
  'flux2-klein': {
    ...flux,
    maxTokens: 512,
    schedule: { shift: 3, use_dynamic_shifting: true },
    spacing: 'empirical',
    rotation: { theta: 2000, axes: [32, 32, 32, 32] },
  },
  'z-image': {
    ...flux,
    maxTokens: 512,
    schedule: { shift: 3, use_dynamic_shifting: false },
    rotation: { theta: 256, axes: [32, 48, 48] },
  },
  sd3: {
    scalingFactor: 1.5305,
    shiftFactor: 0.0609,

    maxTokens: 256,
    schedule: { shift: 3, use_dynamic_shifting: false },
    spacing: 'trained',
    rotation: null,
  },
}
