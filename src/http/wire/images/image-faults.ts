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

/** The options of an image request in its headers. */
export interface ImageHints {
  /** The encoding in the Accept header; null = the body's choice. */
  readonly encoding: ImageEncoding | null
  /** Whether the Accept header requests a single picture instead of JSON. */
  readonly lonely: boolean
  readonly previews: boolean
}

/** Finds contradictions within a well-formed body, with its headers and with the model, in fields that the model supports. */
export function* findImageFaults(
  body: ImageBody,
  model: ImageModelDescriptor,
  { hints, prompts }: { readonly hints: ImageHints; readonly prompts: ReadPrompts },
): Iterable<FieldFault> {
  const { width, height } = requestedSize(body, model)
  yield* findBoundFaults(model, body)
  yield* findSizeFaults(model, width, height)
  yield* findSeedFaults(body.seed, body.num_images ?? imageDefaults.num_images)
  yield* findSkipLayerFaults(body, model)
  // Transformers read brackets as part of the text.
  if (!isTransformerFamily(familyOf(model))) yield* findPromptWeightFaults(body)
  yield* findLoraFaults(model, body.loras, prompts)
  yield* findPictureFaults(body, model)
  yield* findMaskFaults(body)
  yield* findGuidanceFaults(body, model)
  yield* findRefinerFaults(body, model)
  yield* findAnswerFaults(body, hints)
}

const standard: Readonly<Record<string, unknown>> = imageDefaults

/** Whether a field requests anything: it is neither left out nor empty, and does not state its default. */
export function hasEffect(body: ImageBody, field: keyof ImageBody): boolean {
  const value = body[field]
  const isEmpty = value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
  return value !== undefined && value !== standard[field] && !isEmpty
}

/** Finds fields that have no effect without another one. */
export function* findIdle(body: ImageBody, fields: readonly (keyof ImageBody)[], words: string, kind?: string): Iterable<FieldFault> {
  for (const field of fields) if (hasEffect(body, field)) yield fieldFault(field, words, kind)
}

const skipLayerDetails = ['skip_layer_guidance_scale', 'skip_layer_guidance_start', 'skip_layer_guidance_stop'] as const

/** Finds layers that the model does not have, and fields that have no effect without the layers. */
function* findSkipLayerFaults(body: ImageBody, { id, bounds }: ImageModelDescriptor): Iterable<FieldFault> {
  const { skip_guidance_layers: layers } = body
  const { blocks = Number.POSITIVE_INFINITY } = bounds ?? {}
  const tooHigh = layers?.find((layer) => layer >= blocks)
  if (tooHigh !== undefined)
    yield fieldFault('skip_guidance_layers', `may contain 0 to ${blocks - 1}, the blocks of ${id}, not ${tooHigh}.`, 'range')
  if (layers === undefined) yield* findIdle(body, skipLayerDetails, 'needs `skip_guidance_layers`: add it, or leave this out.')
}

function* findPictureFaults(body: ImageBody, { bounds, defaults }: ImageModelDescriptor): Iterable<FieldFault> {
  if (body.init_image === undefined) return yield* findIdle(body, ['strength'], 'needs `init_image`: add one, or leave this out.')
  const fault = findStrengthFault(body.strength ?? imageDefaults.strength, body.steps ?? defaults.steps)
  if (fault !== null && bounds?.startsFromImage !== false) yield fieldFault('strength', fault, 'range')
}

function* findMaskFaults(body: ImageBody): Iterable<FieldFault> {
  if (body.mask_image !== undefined && body.init_image === undefined)
    yield fieldFault('mask_image', 'needs `init_image`: add the image to repaint.')
  if (body.mask_image === undefined)
    yield* findIdle(body, ['inpaint_full_res', 'outpainting', 'mask_blur'], 'needs `mask_image`: add one, or leave this out.')
  if (body.inpaint_full_res !== true)
    yield* findIdle(body, ['inpaint_full_res_padding'], 'needs `inpaint_full_res: true`: set it, or leave this out.')
}

function* findGuidanceFaults(body: ImageBody, model: ImageModelDescriptor): Iterable<FieldFault> {
  const scale = body.cfg_scale ?? model.defaults.guidanceScale
  const kind = familyGuidance[familyOf(model)]
  if (kind !== 'embedded' && !guidanceScales(kind, { scale, hasNegative: true }).guided) {
    const least = kind === 'over-zero' ? 0 : 1
    const remedy = `has no effect at a \`cfg_scale\` of ${scale}: raise \`cfg_scale\` above ${least}, or leave this out.`
    for (const field of ['negative_prompt', 'negative_prompt_2', 'guidance_rescale'] as const)
      if (body[field]) yield fieldFault(field, remedy)
  }
  if (body.style_preset !== undefined && findStylePreset(body.style_preset) === undefined)
    yield fieldFault('style_preset', `must be one of ${stylePresetNames.join(', ')}.`, 'enum')
}

function* findRefinerFaults(body: ImageBody, { id, refiner }: ImageModelDescriptor): Iterable<FieldFault> {
  const split = ['high_noise_frac'] as const
  if (refiner === null) {
    if (body.use_refiner === true) yield fieldFault('use_refiner', `must be false: ${id} has no refiner.`, 'unsupported')
    yield* findIdle(body, split, `must be left out: ${id} has no refiner.`, 'unsupported')
  } else if (body.use_refiner === false) yield* findIdle(body, split, 'needs the refiner: leave out this or `use_refiner: false`.')
}

function* findAnswerFaults(body: ImageBody, { encoding, lonely }: ImageHints): Iterable<FieldFault> {
  if (encoding !== null && body.image_encoding !== undefined && body.image_encoding !== encoding)
    yield fieldFault('image_encoding', `must be ${encoding} or left out when Accept is image/${encoding}.`)
  if (lonely && (body.num_images ?? imageDefaults.num_images) > 1)
    yield fieldFault('num_images', 'must be 1 when Accept is image/…: accept application/json to get all of them.')
}

/** Finds fields that the model does not support, as far as that is known before it is loaded. */
function* findBoundFaults({ id, bounds, defaults }: ImageModelDescriptor, body: ImageBody): Iterable<FieldFault> {
  if (bounds === undefined) return
  const { clipSkip, lcmSteps, refusedSamplers } = bounds
  const { sampler = defaults.sampler, steps = defaults.steps } = body
  if (clipSkip !== null && (body.clip_skip ?? 0) > clipSkip)
    yield fieldFault('clip_skip', `must be at most ${clipSkip} for ${id}.`, 'range')
  const lacking = refusedSamplers[sampler]
  if (lacking !== undefined) {
    const usable = samplers.filter((name) => refusedSamplers[name] === undefined)
    yield fieldFault('sampler', `must not be ${sampler}, because ${id} has ${lacking}: use one of ${usable.join(', ')}.`, 'unsupported')
  } else if (sampler === 'LCM' && lcmSteps !== null && steps > lcmSteps)
    yield fieldFault('steps', `must be at most ${lcmSteps} with the sampler LCM of ${id}.`, 'range')
}

const fields = ['prompt', 'prompt_2', 'negative_prompt', 'negative_prompt_2'] as const

/**
 * Finds prompts with a weight that engines cannot draw well (negative, or too large: nested brackets multiply), and prompts that are cut into
 * too many pieces.
 */
function* findPromptWeightFaults(body: ImageBody): Iterable<FieldFault> {
  for (const field of fields) {
    const text = body[field] ?? ''
    const weight = findRefusedWeight(text)
    if (weight !== undefined) {
      const remedy = weight < 0 ? 'put unwanted content into `negative_prompt`' : 'use fewer brackets or smaller numbers'
      const words = `gives a part the weight ${weight.toPrecision(3)}: ${remedy}, for weights from 0 to ${largestPromptWeight}.`
      yield fieldFault(field, words, 'range')
    }
    const breaks = readPromptWeights(text).filter(({ apart }) => apart).length
    if (breaks > maxBreaks) yield fieldFault(field, `has BREAK ${breaks} times: use it at most ${maxBreaks} times.`, 'range')
  }
}
