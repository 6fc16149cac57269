import Type, { type Static } from 'typebox'
import { queryFault } from '../../faults/refuse-faults.ts'
import { toBase64 } from '../images/image-result.ts'

/** Answer of GET /sdapi/v1/progress. */
export const progressSchema = Type.Object({
  progress: Type.Number({ description: 'Progress of the oldest drawing, 0 to 1; 0 = nothing is being drawn.' }),
  eta_relative: Type.Number({ description: 'Estimated seconds until it is done.' }),
  state: Type.Object({
    skipped: Type.Boolean(),
    interrupted: Type.Boolean(),
    stopping_generation: Type.Boolean(),
    job: Type.String(),
    job_count: Type.Integer({ description: 'Images of the drawing; 0 = nothing is being drawn.' }),
    job_timestamp: Type.String(),
    job_no: Type.Integer({ description: 'Images that are done.' }),
    sampling_step: Type.Integer(),
    sampling_steps: Type.Integer(),
  }),
  current_image: Type.Union([Type.String(), Type.Null()], {
    description: 'A small preview of the image as PNG in base64; null = there is none yet, or `skip_current_image` is true.',
  }),
  textinfo: Type.Null(),
})

/** The progress of a drawing. */
interface Progress {
  readonly startedAt: number
  readonly images: number
  readonly progress: { readonly step: number; readonly total: number }
}

/**
 * Whether the client asks for no preview; accepts the spellings of A1111's server.
 *
 * @throws {ServiceError} for others.
 */
export function readSkip(text: string): boolean {
  if (/^(?:true|1|yes|on|y|t)$/i.test(text)) return true
  if (/^(?:false|0|no|off|n|f|)$/i.test(text)) return false
  throw queryFault('skip_current_image', 'must be true or false.')
}

/** The progress of a drawing, or of none. */
export function encodeProgress(
  drawing: Progress | undefined,
  { now, preview }: { readonly now: number; readonly preview: Uint8Array | undefined },
): Static<typeof progressSchema> {
  const { startedAt, images, progress } = drawing ?? { startedAt: now, images: 0, progress: { step: 0, total: 0 } }
  const { step, total } = progress
  const each = images === 0 ? 0 : Math.round(total / images)
  // A drawing that waits for its model is reported as begun.
  const share = images === 0 ? 0 : Math.max(0.01, total === 0 ? 0 : step / total)
  return {
    progress: share,
    eta_relative: step === 0 ? 0 : (now - startedAt) / 1000 / share - (now - startedAt) / 1000,
    state: {
      skipped: false,
      interrupted: false,
      stopping_generation: false,
      job: images === 0 ? '' : 'drawing',
      job_count: images,
      job_timestamp: images === 0 ? '0' : new Date(startedAt).toISOString(),
      job_no: each === 0 ? 0 : Math.floor(step / each),
      sampling_step: each === 0 ? 0 : step % each,
      sampling_steps: each,
    },
    current_image: preview === undefined ? null : toBase64(preview),
    textinfo: null,
  }
}
