import Type from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import type { SkipLayerGuidance } from '../../../core/image-generation.ts'
import { numberField, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

const defaults = { scale: 2.8, start: 0.01, stop: 0.2 } as const
const share = (value: number, what: string) =>
  Type.Optional(numberField(0, 1, `Share of the steps ${what}; needs skip_guidance_layers.`, value))

/** Fields of skip-layer guidance, with diffusers' names. */
export const skipLayerFields = {
  ...optional({
    skip_guidance_layers: Type.Array(Type.Integer({ minimum: 0, maximum: 63 }), {
      minItems: 1,
      maxItems: 16,
      description: 'Stable Diffusion 3.5: blocks left out of a third prediction that the drawing is guided away from, such as [7, 8, 9].',
    }),
    skip_layer_guidance_scale: numberField(0, 50, 'Its strength; needs skip_guidance_layers.', defaults.scale),
  }),
  skip_layer_guidance_start: share(defaults.start, 'after which it begins'),
  skip_layer_guidance_stop: share(defaults.stop, 'after which it ends'),
}

const dependent = ['skip_layer_guidance_scale', 'skip_layer_guidance_start', 'skip_layer_guidance_stop'] as const

type SkipLayerBody = Readonly<Partial<Record<(typeof dependent)[number], number>>> & { readonly skip_guidance_layers?: readonly number[] }

/** The skip-layer guidance of a body; absent if it has none. */
export function readSkipLayers(body: SkipLayerBody): { readonly skipLayers?: SkipLayerGuidance } {
  const { skip_guidance_layers: layers } = body
  if (layers === undefined) return {}
  const { scale, start, stop } = defaults
  return {
    skipLayers: {
      layers,
      scale: body.skip_layer_guidance_scale ?? scale,
      start: body.skip_layer_guidance_start ?? start,
      stop: body.skip_layer_guidance_stop ?? stop,
    },
  }
}

/** Finds layers that the model does not have, and fields that have no effect without the layers. */
export function findSkipLayerFaults(
  body: SkipLayerBody,
  { id, bounds: { blocks = Number.POSITIVE_INFINITY } = {} }: { readonly id: string; readonly bounds?: { readonly blocks?: number } },
): readonly FieldFault[] {
  const tooHigh = body.skip_guidance_layers?.find((layer) => layer >= blocks)
  if (tooHigh !== undefined)
    return [fieldFault('skip_guidance_layers', `may contain 0 to ${blocks - 1}, the blocks of ${id}, not ${tooHigh}.`, 'range')]
  if (body.skip_guidance_layers !== undefined) return []
  const given = dependent.filter((field) => body[field] !== undefined)
  return given.map((field) => fieldFault(field, 'needs `skip_guidance_layers`: add it, or leave this out.'))
}
