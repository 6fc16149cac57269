import type { FieldFault } from '../../../core/error.ts'
import type { HighResolution, ImageRequest } from '../../../core/image-generation.ts'
import { listUpscalers } from '../../../core/images/upscalers.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { highResolutionDefaults as defaults, latent } from './high-resolution-fields.ts'
import type { ImageBody } from './image-fields.ts'
import { requestedSize } from './image-size.ts'
import { findStrengthFault, strengthFor } from './image-strength.ts'

const details = ['hr_scale', 'hr_upscaler', 'hr_second_pass_steps', 'denoising_strength'] as const

/** Finds contradictions in a body's second pass, and values that the model does not support. */
export function findHighResolutionFaults(body: ImageBody, model: ImageModelDescriptor, catalog: ModelCatalog): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, text: string, kind = 'conflict') => faults.push(fieldFault(field, text, kind))
  if (body.enable_hr !== true) {
    for (const field of details)
      if (body[field] !== undefined && body[field] !== defaults[field]) add(field, 'needs `enable_hr: true`: set it, or leave this out.')
    return faults
  }
  if (model.draws === 'native' || model.upstream !== undefined) return faults
  if (body.init_image !== undefined) add('enable_hr', 'must be left out with `init_image`: the first pass does not start from an image.')
  const { steps, strength } = secondPass(body, body.steps ?? model.defaults.steps)
  const { width = 0, height = 0 } = readHighResolution(body, { ...requestedSize(body, model), steps }) ?? {}
  const most = model.bounds?.maxSide ?? Number.POSITIVE_INFINITY
  if (Math.max(width, height) > most)
    add(
      'hr_scale',
      `enlarges the image to ${width} × ${height}, and ${model.id} draws at most ${most} × ${most}: use a smaller one.`,
      'range',
    )
  const tooWeak = findStrengthFault(strength, steps, ' of the second pass')
  if (tooWeak !== null) add('denoising_strength', tooWeak, 'range')
  const { sampler = model.defaults.sampler } = body
  const lcmSteps = model.bounds?.lcmSteps ?? null
  if (sampler === 'LCM' && lcmSteps !== null && steps > lcmSteps)
    add('hr_second_pass_steps', `must be at most ${lcmSteps} with the sampler LCM of ${model.id}.`, 'range')
  const upscaler = upscalerOf(body)
  if (upscaler === null) return faults
  const known = listUpscalers(catalog)
  if (model.checkpoint === undefined)
    add('hr_upscaler', `must be "${latent}": ${model.id} is an ONNX export, which supports no other.`, 'unsupported')
  else if (model.bounds?.startsFromImage === false)
    add('hr_upscaler', `must be "${latent}": ${model.id} cannot start from an image.`, 'unsupported')
  else if (!known.some(({ id }) => id === upscaler))
    add('hr_upscaler', `must be "${latent}" or an installed upscaler: ${known.map(({ id }) => id).join(', ') || 'none'}.`, 'unsupported')
  return faults
}

/** The second pass of a body, and its final size; nothing for a body without one. */
export function readHighResolution(
  body: ImageBody,
  { width, height, steps }: Pick<ImageRequest, 'width' | 'height' | 'steps'>,
): { readonly highResolution: HighResolution; readonly width: number; readonly height: number } | null {
  if (body.enable_hr !== true) return null
  const { hr_scale: scale = defaults.hr_scale } = body
  const larger = (side: number) => Math.round((side * scale) / 8) * 8
  return {
    highResolution: { first: { width, height }, upscaler: upscalerOf(body), ...secondPass(body, steps) },
    width: larger(width),
    height: larger(height),
  }
}

function secondPass(body: ImageBody, first: number): Pick<HighResolution, 'steps' | 'strength'> {
  const steps = body.hr_second_pass_steps || first
  return { steps, strength: strengthFor(body.denoising_strength ?? defaults.denoising_strength, steps) }
}

function upscalerOf({ hr_upscaler: name = latent }: ImageBody): string | null {
  return name.toLowerCase() === latent.toLowerCase() ? null : name
}
