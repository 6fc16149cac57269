import type { ImageRequest } from '../../../core/image-generation.ts'
import type { ImageModelDescriptor } from '../../../core/model.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import type { ImageBody } from './image-fields.ts'
import { readLoras } from './image-loras.ts'

/** A model with the defaults that a body's LoRAs ask for, and what they ask for besides. */
export interface PacedModel {
  readonly model: ImageModelDescriptor
  readonly spacing: Pick<ImageRequest, 'timestepSpacing'>
}

/** Lets a LoRA for few steps say what stands for steps, guidance and sampler where the body leaves them out; of several the first. */
export function paceByLoras(
  model: ImageModelDescriptor,
  body: Pick<ImageBody, 'prompt' | 'prompt_2' | 'loras'>,
  catalog: ModelCatalog,
): PacedModel {
  const counting = model.checkpoint === undefined ? [] : readLoras(body).loras.filter(({ weight }) => weight > 0)
  const pace = counting.map(({ name }) => catalog.findAsset('lora', name)?.pace).find((each) => each !== undefined)
  if (pace === undefined) return { model, spacing: {} }
  const { timestepSpacing, ...defaults } = pace
  return { model: { ...model, defaults }, spacing: timestepSpacing === null ? {} : { timestepSpacing } }
}
