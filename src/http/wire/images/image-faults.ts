import { isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { ImageEncoding } from '../../../core/image-generation.ts'
import { familyGuidance, guidanceScales } from '../../../core/images/guidance-scales.ts'
import { findRefusedWeight, largestPromptWeight, maxBreaks, readPromptWeights } from '../../../core/images/prompt-weights.ts'
import { findStylePreset, stylePresetNames } from '../../../core/images/style-preset.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import { samplers } from '../../../core/sampler.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { type ImageBody, imageDefaults } from './image-fields.ts'
import { findLoraFaults, type ReadPrompts } from './image-loras.ts'
import { findSeedFaults } from './image-seeds.ts'
import { findSizeFaults, requestedSize } from './image-size.ts'
import { findStrengthFault } from './image-strength.ts'
import { findSkipLayerFaults } from './skip-layer-fields.ts'

/** The options of an image request in its headers. */
export interface ImageHints {
  /** The encoding in the Accept header; null = the body's choice. */
  readonly encoding: ImageEncoding | null
  /** Whether the Accept header requests a single picture instead of JSON. */
  readonly lonely: boolean
  readonly previews: boolean
}

/** Finds contradictions within a well-formed body, with its headers and with the model, in fields that the model supports. */
export function findImageFaults(
  body: ImageBody,
  model: ImageModelDescriptor,
  { hints, prompts }: { readonly hints: ImageHints; readonly prompts: ReadPrompts },
): readonly FieldFault[] {
  const { num_images: count = imageDefaults.num_images } = body
  const { width, height } = requestedSize(body, model)
  return [
    ...findBoundFaults(model, body),
    ...findSizeFaults(model, width, height),
    ...findSeedFaults(body.seed, count),
    ...findSkipLayerFaults(body, model),
    // Transformers read brackets as part of the text.
    ...(isTransformerFamily(familyOf(model)) ? [] : findPromptWeightFaults(body)),
    ...findLoraFaults(model, body.loras, prompts),
    ...findPictureFaults(body, model),
    ...findMaskFaults(body),
    ...findGuidanceFaults(body, model),
    ...findRefinerFaults(body, model),
    ...findAnswerFaults(body, hints),
  ]
}

function findPictureFaults(body: ImageBody, model: ImageModelDescriptor): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const { init_image: picture, strength = imageDefaults.strength, steps = model.defaults.steps } = body
  if (picture === undefined) {
    if (strength !== imageDefaults.strength) faults.push(fieldFault('strength', 'needs `init_image`: add one, or leave this out.'))
    return faults
  }
  const fault = findStrengthFault(strength, steps)
  if (fault !== null && model.bounds?.startsFromImage !== false) faults.push(fieldFault('strength', fault, 'range'))
  return faults
}

function findMaskFaults(body: ImageBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  if (body.mask_image !== undefined && body.init_image === undefined)
    faults.push(fieldFault('mask_image', 'needs `init_image`: add the image to repaint.'))
  if (body.mask_image === undefined) {
    for (const field of ['inpaint_full_res', 'outpainting'] as const)
      if (body[field] === true) faults.push(fieldFault(field, 'needs `mask_image`: add one, or leave this out.'))
    if ((body.mask_blur ?? 0) !== 0) faults.push(fieldFault('mask_blur', 'needs `mask_image`: add one, or leave this out.'))
  }
  const { inpaint_full_res_padding: padding = imageDefaults.inpaint_full_res_padding } = body
  if (body.inpaint_full_res !== true && padding !== imageDefaults.inpaint_full_res_padding)
    faults.push(fieldFault('inpaint_full_res_padding', 'needs `inpaint_full_res: true`: set it, or leave this out.'))
  return faults
}

function findGuidanceFaults(body: ImageBody, model: ImageModelDescriptor): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const scale = body.cfg_scale ?? model.defaults.guidanceScale
  const kind = familyGuidance[familyOf(model)]
  if (kind !== 'embedded' && !guidanceScales(kind, { scale, hasNegative: true }).guided) {
    const least = kind === 'over-zero' ? 0 : 1
    const remedy = `has no effect at a \`cfg_scale\` of ${scale}: raise \`cfg_scale\` above ${least}, or leave this out.`
    for (const field of ['negative_prompt', 'negative_prompt_2'] as const) if (body[field]) faults.push(fieldFault(field, remedy))
    if ((body.guidance_rescale ?? 0) !== 0) faults.push(fieldFault('guidance_rescale', remedy))
  }
  if (body.style_preset !== undefined && findStylePreset(body.style_preset) === undefined)
    faults.push(fieldFault('style_preset', `must be one of ${stylePresetNames.join(', ')}.`, 'enum'))
  return faults
}

function findRefinerFaults(body: ImageBody, model: ImageModelDescriptor): readonly FieldFault[] {
  const split = (body.high_noise_frac ?? imageDefaults.high_noise_frac) !== imageDefaults.high_noise_frac
  const faults: FieldFault[] = []
  if (model.refiner !== null) {
    if (body.use_refiner === false && split)
      faults.push(fieldFault('high_noise_frac', 'needs the refiner: leave out this or `use_refiner: false`.'))
    return faults
  }
  if (body.use_refiner === true) faults.push(fieldFault('use_refiner', `must be false: ${model.id} has no refiner.`, 'unsupported'))
  if (split) faults.push(fieldFault('high_noise_frac', `must be left out: ${model.id} has no refiner.`, 'unsupported'))
  return faults
}

function findAnswerFaults(body: ImageBody, { encoding, lonely }: ImageHints): readonly FieldFault[] {
  const faults: FieldFault[] = []
  if (encoding !== null && body.image_encoding !== undefined && body.image_encoding !== encoding)
    faults.push(fieldFault('image_encoding', `must be ${encoding} or left out when Accept is image/${encoding}.`))
  if (lonely && (body.num_images ?? imageDefaults.num_images) > 1)
    faults.push(fieldFault('num_images', 'must be 1 when Accept is image/…: accept application/json to get all of them.'))
  return faults
}

/** Finds fields that the model does not support, as far as that is known before it is loaded. */
function findBoundFaults({ id, bounds, defaults }: ImageModelDescriptor, body: ImageBody): readonly FieldFault[] {
  if (bounds === undefined) return []
  const faults: FieldFault[] = []
  const add = (field: string, text: string, kind: string) => faults.push(fieldFault(field, text, kind))
  const { clipSkip, lcmSteps, refusedSamplers } = bounds
  const { sampler = defaults.sampler, steps = defaults.steps } = body
  if (clipSkip !== null && (body.clip_skip ?? 0) > clipSkip) add('clip_skip', `must be at most ${clipSkip} for ${id}.`, 'range')
  const lacking = refusedSamplers[sampler]
  if (lacking !== undefined) {
    const usable = samplers.filter((name) => refusedSamplers[name] === undefined)
    add('sampler', `must not be ${sampler}, because ${id} has ${lacking}: use one of ${usable.join(', ')}.`, 'unsupported')
  } else if (sampler === 'LCM' && lcmSteps !== null && steps > lcmSteps)
    add('steps', `must be at most ${lcmSteps} with the sampler LCM of ${id}.`, 'range')
  return faults
}

const fields = ['prompt', 'prompt_2', 'negative_prompt', 'negative_prompt_2'] as const

/**
 * Finds prompts with a weight that engines cannot draw well (negative, or too large: nested brackets multiply), and prompts that are cut into
 * too many pieces.
 */
function findPromptWeightFaults(body: ImageBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  const add = (field: string, text: string) => faults.push(fieldFault(field, text, 'range'))
  for (const field of fields) {
    const text = body[field] ?? ''
    const weight = findRefusedWeight(text)
    if (weight !== undefined) {
      const remedy = weight < 0 ? 'put unwanted content into `negative_prompt`' : 'use fewer brackets or smaller numbers'
      add(field, `gives a part the weight ${weight.toPrecision(3)}: ${remedy}, for weights from 0 to ${largestPromptWeight}.`)
    }
    const breaks = readPromptWeights(text).filter(({ apart }) => apart).length
    if (breaks > maxBreaks) add(field, `has BREAK ${breaks} times: use it at most ${maxBreaks} times.`)
  }
  return faults
}
