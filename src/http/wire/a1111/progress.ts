import Type, { type Static } from 'typebox'

/** Answer of GET /sdapi/v1/progress. */
export const progressSchema = Type.Object({
  progress: Type.Number({ description: 'Share of the oldest drawing that is done, 0 to 1; 0 = nothing is being drawn.' }),
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
  current_image: Type.Null({ description: 'No previews are made.' }),
  textinfo: Type.Null(),
})

/** How far a drawing is. */
interface Progress {
  readonly startedAt: number
  readonly images: number
  readonly progress: { readonly step: number; readonly total: number }
}

/** The progress of a drawing; of none where nothing is being drawn. */
export function encodeProgress(drawing: Progress | undefined, now: number): Static<typeof progressSchema> {
  const { startedAt, images, progress } = drawing ?? { startedAt: now, images: 0, progress: { step: 0, total: 0 } }
  const { step, total } = progress
  const each = images === 0 ? 0 : Math.round(total / images)
  // A drawing that waits for its model has begun for those who ask.
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
    current_image: null,
    textinfo: null,
  }
}
