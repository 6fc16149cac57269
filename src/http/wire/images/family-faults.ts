import { type CheckpointFamily, familyNames, isTransformerFamily } from '../../../core/checkpoint/checkpoint-family.ts'
import type { FieldFault } from '../../../core/error.ts'
import { takesReferences } from '../../../core/images/references.ts'
import { familyOf, type ImageModelDescriptor } from '../../../core/model.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'
import type { ImageBody } from './image-fields.ts'

type Field = keyof ImageBody

/** Fields that no transformer model supports. */
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

/** Finds the fields of a body that the model's family does not support. */
export function findFamilyFaults(body: ImageBody, model: ImageModelDescriptor): readonly FieldFault[] {
  const family = familyOf(model)
  const references: readonly Field[] = takesReferences(family) ? [] : ['reference_images']
  const others = [...references, ...(family === 'sd3' ? [] : skipLayers)]
  const fields = isTransformerFamily(family) ? [...controls, ...(idle[family] ?? []), ...others] : others
  const given = fields.filter((field) => body[field] !== undefined)
  return given.map((field) => fieldFault(field, `must be left out: models of ${familyNames[family]} do not support it.`, 'unsupported'))
}
