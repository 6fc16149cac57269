import Type from 'typebox'
import { maxSteps } from '../../../core/image-generation.ts'
import { integerField, numberField, optional } from '../../faults/object-schema.ts'

/** A1111's name for enlarging the latents themselves. */
export const latent = 'Latent'

/** The defaults of a second pass. */
export const highResolutionDefaults = {
  enable_hr: false,
  hr_scale: 2,
  hr_upscaler: latent,
  hr_second_pass_steps: 0,
  denoising_strength: 0.7,
} as const

/** Fields of a drawing in two passes, with A1111's names. */
export const highResolutionFields = optional({
  enable_hr: Type.Boolean({
    default: highResolutionDefaults.enable_hr,
    description: 'Whether the drawing is enlarged and drawn over in a second pass.',
  }),
  hr_scale: numberField(1.1, 4, 'Factor by which the image is enlarged.', highResolutionDefaults.hr_scale),
  hr_upscaler: Type.String({
    minLength: 1,
    default: highResolutionDefaults.hr_upscaler,
    description: '`Latent` enlarges the latents; the name of an installed upscaler enlarges the picture of the first pass.',
  }),
  hr_second_pass_steps: integerField(
    0,
    maxSteps,
    'Steps of the second pass; 0 = the same number.',
    highResolutionDefaults.hr_second_pass_steps,
  ),
  denoising_strength: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    default: highResolutionDefaults.denoising_strength,
    description: 'How much the second pass may change; needs enable_hr.',
  }),
})
