import { isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { FieldFault } from '../../../core/error.ts'
import type { ImageEncoding } from '../../../core/image-generation.ts'
import { familyGuidance, guidanceScales } from '../../../core/images/guidance-scales.ts'
import { findRefusedWeight, largestPromptWeight, maxBreaks, readPromptWeights } from '../../../core/images/prompt-weights.ts'
import { findStylePreset, stylePresetNames } from '../../../core/images/style-preset.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { findFamilyFaults } from './family-faults.ts'
import { type ImageBody, imageDefaults } from './image-fields.ts'
import { findLoraFaults, type ReadPrompts } from './image-loras.ts'
import { findSeedFaults } from './image-seeds.ts'
import { findSizeFaults, requestedSize } from './image-size.ts'
import { plainLeastStrength, strengthFor } from './image-strength.ts'
import { findSkipLayerFaults } from './skip-layer-fields.ts'

/** The options of an image request in its headers. */
export interface ImageHints {
  /** The encoding in the Accept header; null = the body's choice. */
  readonly encoding: ImageEncoding | null
  /** Whether the Accept header requests a single picture instead of JSON. */
  readonly lonely: boolean
  readonly previews: boolean
}

/** Finds contradictions within a well-formed body, with its headers and with the model. */
export function findImageFaults(
  body: ImageBody,
  model: ImageModelDescriptor,
  { hints, prompts }: { readonly hints: ImageHints; readonly prompts: ReadPrompts },
): readonly FieldFault[] {
  const { num_images: count = imageDefaults.num_images } = body
  const { width, height } = requestedSize(body, model)
  return [
    ...findSizeFaults(model, width, height),
    ...findSeedFaults(body.seed, count),
    ...findBoundFaults(model, body),
    ...findFamilyFaults(body, model),
    ...findSkipLayerFaults(body),
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
  if (picture === undefined && strength !== imageDefaults.strength)
    faults.push(fieldFault('strength', 'needs `init_image`: add one, or leave it out.'))
  if ((picture ?? body.strength) !== undefined && strengthFor(strength, steps) * steps < 1) {
    const advice = `use a strength of ${plainLeastStrength(steps)} or more with ${steps} steps.`
    faults.push(fieldFault('strength', `times \`steps\` must be at least 1: ${advice}`, 'range'))
  }
  return faults
}

function findMaskFaults(body: ImageBody): readonly FieldFault[] {
  const faults: FieldFault[] = []
  if (body.mask_image !== undefined && body.init_image === undefined)
    faults.push(fieldFault('mask_image', 'needs `init_image`: add the image to repaint.'))
  if (body.mask_image === undefined) {
    for (const field of ['inpaint_full_res', 'outpainting'] as const)
      if (body[field] === true) faults.push(fieldFault(field, 'needs `mask_image`: add one, or leave it out.'))
    if ((body.mask_blur ?? 0) !== 0) faults.push(fieldFault('mask_blur', 'needs `mask_image`: add one, or leave it out.'))
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
    const remedy = `has no effect at a \`cfg_scale\` of ${scale}: use more than ${least}, or leave it out.`
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
    if (body.use_refiner === false && split) faults.push(fieldFault('high_noise_frac', 'needs the refiner: leave it or `use_refiner` out.'))
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
  const { clipSkip, lcmSteps, refusedSamplers, startsFromImage, takesSeeds } = bounds
  const { sampler = defaults.sampler, steps = defaults.steps } = body
  if (clipSkip !== null && (body.clip_skip ?? 0) > clipSkip)
    add('clip_skip', clipSkip === 0 ? `must be left out: ${id} has only one layer.` : `must be at most ${clipSkip} for ${id}.`, 'range')
  if (sampler === 'LCM' && lcmSteps !== null && steps > lcmSteps)
    add('steps', `must be at most ${lcmSteps} with the sampler LCM of ${id}.`, 'range')
  const lacking = refusedSamplers[sampler]
  if (lacking !== undefined) add('sampler', `must not be ${sampler}: ${id} has ${lacking}.`, 'unsupported')
  if (!startsFromImage && body.init_image !== undefined)
    add('init_image', `must be left out: ${id} cannot start from an image.`, 'unsupported')
  if (!takesSeeds && body.seed !== undefined)
    add('seed', `must be left out: ${id} runs on a server that does not support it.`, 'unsupported')
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
