import { assetKinds } from '../../../../../core/assets/asset.ts'
import { type CheckpointFamily, isTransformerFamily } from '../../../../../core/checkpoint/checkpoint-family.ts'
import { familyGuidance } from '../../../../../core/checkpoint/family-guidance.ts'
import { mostClipSkip, mostSteps } from '../../../../../core/image-generation.ts'
import { takesReferences } from '../../../../../core/images/references.ts'
import { type Sampler, samplers } from '../../../../../core/sampler.ts'
import type { ImageAsset } from '../../../../contract/image-assets.ts'
import type { ConsoleImageModel } from '../../../../contract/models.ts'

/** What of an image request a model can honour, as far as its files tell. */
export interface ImageAbilities {
  readonly startsFromImage: boolean
  /** Whether it needs a picture and a mask to begin with. */
  readonly repaintsOnly: boolean
  /** Whether it sees pictures beside the one it draws. */
  readonly takesReferences: boolean
  readonly takesSeeds: boolean
  readonly refines: boolean
  readonly drawsTwice: boolean
  /** Ids of the networks that can enlarge its pictures in between. */
  readonly upscalers: readonly string[]
  /** Whether it reads the prompt with two text encoders. */
  readonly secondPrompts: boolean
  /** Guidance above which a negative prompt is read; null = the model reads none. */
  readonly negativeOver: number | null
  /** Whether strong guidance can be scaled back. */
  readonly rescalesGuidance: boolean
  /** Largest clip skip; 0 = none. */
  readonly clipSkip: number
  readonly samplers: readonly Sampler[]
  /** Most steps with the sampler LCM. */
  readonly lcmSteps: number
  /** The files of weights that fit it. */
  readonly assets: readonly ImageAsset[]
}

/** Families that read a prompt with two encoders, each its own where one is given. */
const secondPrompts: readonly CheckpointFamily[] = ['sdxl', 'sdxl-refiner', 'sd3', 'flux-dev', 'flux-schnell']

/** What a model can do, and which of these assets and upscalers it takes. */
export function abilitiesOf(model: ConsoleImageModel, assets: readonly ImageAsset[], upscalers: readonly string[]): ImageAbilities {
  const { bounds, family, takesAssets } = model
  const kind = familyGuidance[family]
  const kinds: readonly ImageAsset['kind'][] = isTransformerFamily(family) ? ['lora'] : assetKinds
  return {
    startsFromImage: bounds?.startsFromImage ?? true,
    repaintsOnly: model.repaintsOnly,
    takesReferences: takesReferences(family),
    takesSeeds: bounds?.takesSeeds ?? true,
    refines: model.refines,
    drawsTwice: model.drawsTwice,
    upscalers: takesAssets ? upscalers : [],
    secondPrompts: secondPrompts.includes(family),
    negativeOver: kind === 'embedded' ? null : kind === 'over-zero' ? 0 : 1,
    rescalesGuidance: kind !== 'embedded',
    clipSkip: Math.min(mostClipSkip, bounds?.clipSkip ?? mostClipSkip),
    samplers: samplers.filter((name) => bounds?.refusedSamplers[name] === undefined),
    lcmSteps: bounds?.lcmSteps ?? mostSteps,
    assets: takesAssets ? assets.filter((asset) => kinds.includes(asset.kind) && (asset.family === null || asset.family === family)) : [],
  }
}
