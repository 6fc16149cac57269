import Type, { type TOptional, type TUnknown } from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/** A field of A1111 for a feature that Sepia lacks. Only the values that switch the feature off are accepted. */
interface OnlyValues {
  readonly values: readonly unknown[]
  /** The reason, as the end of a sentence. */
  readonly why: string
}

/** The values of a field that are accepted, with the reason. */
export function only(why: string, ...values: readonly unknown[]): OnlyValues {
  return { values, why }
}

/** Such fields of txt2img and img2img. */
export const drawingOnly = {
  restore_faces: only('Sepia does not restore faces', false),
  tiling: only('Sepia does not draw tiles', false),
  subseed_strength: only('Sepia does not mix seeds', 0),
  seed_resize_from_h: only('Sepia does not resize noise', -1, 0),
  seed_resize_from_w: only('Sepia does not resize noise', -1, 0),
  s_churn: only('samplers add no noise of their own', 0),
  s_noise: only('samplers add no noise of their own', 1, 0),
  s_min_uncond: only('every step is guided', 0),
  refiner_checkpoint: only("a refiner belongs to its model's model.json", '', 'None'),
  script_name: only('Sepia runs no scripts', '', 'None'),
  infotext: only('send its values as fields', ''),
  disable_extra_networks: only('LoRAs are applied where the prompt names them', false),
  firstphase_width: only('use `hr_scale`', 0),
  firstphase_height: only('use `hr_scale`', 0),
  use_deprecated_controlnet: only('use `alwayson_scripts`', false),
} as const

/** Such fields of the second pass; checked only with `enable_hr`. */
export const highResolutionOnly = {
  hr_resize_x: only('use `hr_scale`', 0),
  hr_resize_y: only('use `hr_scale`', 0),
  hr_checkpoint_name: only('one model draws both passes', '', 'Use same checkpoint'),
  hr_sampler_name: only('one sampler draws both passes', '', 'Use same sampler'),
  hr_scheduler: only('one sampler draws both passes', '', 'Use same scheduler'),
  hr_prompt: only('one prompt draws both passes', ''),
  hr_negative_prompt: only('one prompt draws both passes', ''),
} as const

/** Such fields of img2img. */
export const startingOnly = {
  inpainting_mask_invert: only('send the mask with white where the image is repainted', 0, false),
  initial_noise_multiplier: only('noise is as the model was trained', 1),
  latent_mask: only('use `mask`', ''),
} as const

type OnlyTable = Readonly<Record<string, OnlyValues>>

/** The schema of a table's fields. */
export function onlyFields<const Table extends OnlyTable>(table: Table): Record<keyof Table & string, TOptional<TUnknown>> {
  const rows = Object.entries(table).map(([name, { values, why }]) => [
    name,
    Type.Optional(Type.Unknown({ description: `Only ${list(values)}: ${why}.` })),
  ])
  return Object.fromEntries(rows) as Record<keyof Table & string, TOptional<TUnknown>>
}

/** Finds the fields of a table whose value would switch a feature on. */
export function findOnlyFaults(body: Readonly<Record<string, unknown>>, table: OnlyTable): readonly FieldFault[] {
  return Object.entries(table).flatMap(([name, { values, why }]) => {
    if (!Object.hasOwn(body, name) || body[name] === null || values.includes(body[name])) return []
    return [fieldFault(name, `must be ${list(values)}: ${why}.`, 'unsupported')]
  })
}

function list(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' or ')
}
