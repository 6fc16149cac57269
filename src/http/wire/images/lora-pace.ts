import type { ImageRequest } from '../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { NamedAssets } from './image-assets.ts'

/** A model with the defaults that a body's LoRAs ask for, and what they ask for besides. */
export interface PacedModel {
  readonly model: ImageModelDescriptor
  readonly spacing: Pick<ImageRequest, 'timestepSpacing'>
}

/** Lets a LoRA for few steps say what stands for steps, guidance and sampler where a body leaves them out; of several the first. */
export function paceByLoras(model: ImageModelDescriptor, { loras }: Pick<NamedAssets, 'loras'>): PacedModel {
  const counting = model.checkpoint === undefined ? [] : loras.filter(({ use }) => use.weight > 0)
  const pace = counting.map(({ asset }) => asset?.pace).find((each) => each !== undefined)
  if (pace === undefined) return { model, spacing: {} }
  const { timestepSpacing, ...defaults } = pace
  return { model: { ...model, defaults }, spacing: timestepSpacing === null ? {} : { timestepSpacing } }
}
