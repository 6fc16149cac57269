import type { FieldFault } from '../../../core/error.ts'
import type { HighResolution, ImageRequest } from '../../../core/image-generation.ts'
import { listUpscalers } from '../../../core/images/upscalers.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { findIdle } from './image-faults.ts'
import { type ImageBody, imageDefaults, latent } from './image-fields.ts'
import { requestedSize } from './image-size.ts'
import { findStrengthFault, strengthFor } from './image-strength.ts'

const details = ['hr_scale', 'hr_upscaler', 'hr_second_pass_steps', 'denoising_strength'] as const

/** Finds contradictions in a body's second pass, and values that the model does not support. */
export function* findHighResolutionFaults(body: ImageBody, model: ImageModelDescriptor, catalog: ModelCatalog): Iterable<FieldFault> {
  if (body.enable_hr !== true) return yield* findIdle(body, details, 'needs `enable_hr: true`: set it, or leave this out.')
  if (model.draws === 'native' || model.upstream !== undefined) return
  if (body.init_image !== undefined)
    yield fieldFault('enable_hr', 'must be left out with `init_image`: the first pass does not start from an image.')
  const { steps, strength } = secondPass(body, body.steps ?? model.defaults.steps)
  const { width = 0, height = 0 } = readHighResolution(body, { ...requestedSize(body, model), steps }) ?? {}
  const most = model.bounds?.maxSide ?? Number.POSITIVE_INFINITY
  if (Math.max(width, height) > most) {
    const words = `enlarges the image to ${width} × ${height}, and ${model.id} draws at most ${most} × ${most}: use a smaller one.`
    yield fieldFault('hr_scale', words, 'range')
  }
  const tooWeak = findStrengthFault(strength, steps, ' of the second pass')
  if (tooWeak !== null) yield fieldFault('denoising_strength', tooWeak, 'range')
  const { sampler = model.defaults.sampler } = body
  const lcmSteps = model.bounds?.lcmSteps ?? null
  if (sampler === 'LCM' && lcmSteps !== null && steps > lcmSteps)
    yield fieldFault('hr_second_pass_steps', `must be at most ${lcmSteps} with the sampler LCM of ${model.id}.`, 'range')
  const lacking = findUpscalerFault(upscalerOf(body), model, catalog)
  if (lacking !== null) yield fieldFault('hr_upscaler', `must be "${latent}"${lacking}.`, 'unsupported')
}

/** Why an upscaler cannot enlarge the first picture; null = it can, or latents are enlarged. */
function findUpscalerFault(upscaler: string | null, model: ImageModelDescriptor, catalog: ModelCatalog): string | null {
  if (upscaler === null) return null
  if (model.checkpoint === undefined) return `: ${model.id} is an ONNX export, which supports no other`
  if (model.bounds?.startsFromImage === false) return `: ${model.id} cannot start from an image`
  const known = listUpscalers(catalog).map(({ id }) => id)
  return known.includes(upscaler) ? null : ` or an installed upscaler: ${known.join(', ') || 'none'}`
}

/** The second pass of a body, and its final size; nothing for a body without one. */
export function readHighResolution(
  body: ImageBody,
  { width, height, steps }: Pick<ImageRequest, 'width' | 'height' | 'steps'>,
): { readonly highResolution: HighResolution; readonly width: number; readonly height: number } | null {
  if (body.enable_hr !== true) return null
  const { hr_scale: scale } = { ...imageDefaults, ...body }
  const larger = (side: number) => Math.round((side * scale) / 8) * 8
  return {
    highResolution: { first: { width, height }, upscaler: upscalerOf(body), ...secondPass(body, steps) },
    width: larger(width),
    height: larger(height),
  }
}

function secondPass(body: ImageBody, first: number): Pick<HighResolution, 'steps' | 'strength'> {
  const { hr_second_pass_steps, denoising_strength } = { ...imageDefaults, ...body }
  const steps = hr_second_pass_steps || first
  return { steps, strength: strengthFor(denoising_strength, steps) }
}

function upscalerOf({ hr_upscaler: name = latent }: ImageBody): string | null {
  return name.toLowerCase() === latent.toLowerCase() ? null : name
}
