import type { ImageRequest } from '../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { NamedAssets } from './image-assets.ts'

/** A model with the defaults of a body's LoRAs, and the other values that they require. */
export interface PacedModel {
  readonly model: ImageModelDescriptor
  readonly spacing: Pick<ImageRequest, 'timestepSpacing'>
}

/**
 * Applies the defaults of a LoRA for few steps (steps, guidance, sampler) to fields that a body leaves out. With several LoRAs, the first
 * counts.
 */
export function paceByLoras(model: ImageModelDescriptor, { loras }: Pick<NamedAssets, 'loras'>): PacedModel {
  const counting = model.checkpoint === undefined ? [] : loras.filter(({ use }) => use.weight > 0)
  const pace = counting.map(({ asset }) => asset?.pace).find((each) => each !== undefined)
  if (pace === undefined) return { model, spacing: {} }
  const { timestepSpacing, ...defaults } = pace
  return { model: { ...model, defaults }, spacing: timestepSpacing === null ? {} : { timestepSpacing } }
}
