import { type CheckpointFamily, familyNames, isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { FieldFault } from '../../../core/error.ts'
import { takesReferences } from '../../../core/images/references.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import { hasEffect } from './image-faults.ts'
import type { ImageBody } from './image-fields.ts'

type Field = keyof ImageBody

/** Fields for assets that no transformer model supports. */
const controls: readonly Field[] = [
  'textual_inversions',
  'vae',
  'controlnet',
  'controlnet_image',
  'controlnet_conditioning_scale',
  'controlnet_early_stop',
  'controlnet_preprocess',
  'controlnets',
]

/** Fields that only Stable Diffusion 3 supports. */
const skipLayers: readonly Field[] = [
  'skip_guidance_layers',
  'skip_layer_guidance_scale',
  'skip_layer_guidance_start',
  'skip_layer_guidance_stop',
]

const secondTexts: readonly Field[] = ['prompt_2', 'negative_prompt_2']

/** Fields that a family does not support, in addition to those of all transformers. */
const idle: Readonly<Partial<Record<CheckpointFamily, readonly Field[]>>> = {
  'flux-dev': ['negative_prompt', 'negative_prompt_2', 'guidance_rescale', 'clip_skip'],
  'flux-schnell': ['clip_skip'],
  'flux2-klein': [...secondTexts, 'clip_skip'],
  'z-image': [...secondTexts, 'clip_skip'],
}

/** Finds the fields of a body that the model does not support at all, so that only leaving them out helps. */
export function findFamilyFaults(body: ImageBody, model: ImageModelDescriptor): readonly FieldFault[] {
  const reasons = new Map<Field, string>()
  for (const [reason, fields] of unsupportedBy(model))
    for (const field of fields) if (hasEffect(body, field) && !reasons.has(field)) reasons.set(field, reason)
  return [...reasons].map(([field, reason]) => fieldFault(field, `must be left out: ${reason}.`, 'unsupported'))
}

/** Fields that a model does not support, by the reason; the first one of a field counts. */
function unsupportedBy(model: ImageModelDescriptor): readonly (readonly [reason: string, fields: readonly Field[]])[] {
  const { id, bounds, draws } = model
  const family = familyOf(model)
  const unskippable: readonly Field[] = bounds?.clipSkip === 0 ? ['clip_skip'] : []
  const common: readonly (readonly [string, readonly Field[]])[] = [
    [`${id} cannot start from an image`, bounds?.startsFromImage === false ? ['init_image', 'reference_images'] : []],
    [`${id} cannot repeat an image`, bounds?.takesSeeds === false ? ['seed'] : []],
    [`${id} draws only at its native size`, draws === 'native' ? ['enable_hr'] : []],
  ]
  if (model.upstream !== undefined) {
    const fields = [...controls, 'reference_images', ...skipLayers, 'enable_hr', ...unskippable] as const
    return [[`${id} runs on a server that does not support it`, fields], ...common]
  }
  const references: readonly Field[] = takesReferences(family) ? [] : ['reference_images']
  const others = [...references, ...(family === 'sd3' ? [] : skipLayers)]
  return [
    [
      `models of ${familyNames[family]} do not support it`,
      isTransformerFamily(family) ? [...controls, ...(idle[family] ?? []), ...others] : others,
    ],
    [`${id} is an ONNX export, which supports no assets`, model.checkpoint === undefined ? controls : []],
    [`the text encoder of ${id} has only one layer`, unskippable],
    ...common,
  ]
}

/** Faults of fields to leave out, and those of all other fields: any other fault of a field to leave out is without meaning. */
export function withOtherFaults(leftOut: readonly FieldFault[], others: readonly FieldFault[]): readonly FieldFault[] {
  const fields = new Set(leftOut.map(({ path: [field] }) => field))
  return [...leftOut, ...others.filter(({ path: [field] }) => !fields.has(field))]
}
