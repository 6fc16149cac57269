import { assetKinds } from '../../../../../core/assets/asset.ts'
import { type CheckpointFamily, isTransformerFamily } from '../../../../../core/checkpoint/checkpoint-family.ts'
import { mayFit } from '../../../../../core/checkpoint/lora-facts.ts'
import { maxClipSkip, maxSteps } from '../../../../../core/image-generation.ts'
import { familyGuidance } from '../../../../../core/images/guidance-scales.ts'
import { takesReferences } from '../../../../../core/images/references.ts'
import { type Sampler, samplers } from '../../../../../core/sampler.ts'
import type { ImageAsset } from '../../../../contract/image-assets.ts'
import type { ConsoleImageModel } from '../../../../contract/models.ts'

/** The features of an image model, as far as its files show them. */
export interface ImageAbilities {
  readonly startsFromImage: boolean
  /** Whether it requires a picture and a mask. */
  readonly repaintsOnly: boolean
  /** Whether it supports reference pictures. */
  readonly takesReferences: boolean
  readonly takesSeeds: boolean
  readonly refines: boolean
  readonly drawsTwice: boolean
  /** Ids of the upscalers for its second pass, which then starts from an image. */
  readonly upscalers: readonly string[]
  /** Whether it has two text encoders with separate prompts. */
  readonly secondPrompts: boolean
  /** Guidance above which the negative prompt is used; null = never. */
  readonly negativeOver: number | null
  /** Whether it supports guidance rescale. */
  readonly rescalesGuidance: boolean
  /** Largest clip skip; 0 = not supported. */
  readonly clipSkip: number
  readonly samplers: readonly Sampler[]
  /** Maximum of steps with the sampler LCM. */
  readonly lcmSteps: number
  /** The assets that fit it. */
  readonly assets: readonly ImageAsset[]
}

/** Families with two text encoders that can have separate prompts. */
const secondPrompts: readonly CheckpointFamily[] = ['sdxl', 'sdxl-refiner', 'sd3', 'flux-dev', 'flux-schnell']

/** The features of a model, with the assets and upscalers that fit it. */
export function abilitiesOf(model: ConsoleImageModel, assets: readonly ImageAsset[], upscalers: readonly string[]): ImageAbilities {
  const { bounds, family, takesAssets } = model
  const kind = familyGuidance[family]
  const startsFromImage = bounds?.startsFromImage ?? true
  const kinds: readonly ImageAsset['kind'][] = isTransformerFamily(family) ? ['lora'] : assetKinds
  return {
    startsFromImage,
    repaintsOnly: model.repaintsOnly,
    takesReferences: takesReferences(family) && startsFromImage,
    takesSeeds: bounds?.takesSeeds ?? true,
    refines: model.refines,
    drawsTwice: model.drawsTwice,
    upscalers: takesAssets && startsFromImage ? upscalers : [],
    secondPrompts: secondPrompts.includes(family),
    negativeOver: kind === 'embedded' ? null : kind === 'over-zero' ? 0 : 1,
    rescalesGuidance: kind !== 'embedded',
    clipSkip: Math.min(maxClipSkip, bounds?.clipSkip ?? maxClipSkip),
    samplers: samplers.filter((name) => bounds?.refusedSamplers[name] === undefined),
    lcmSteps: bounds?.lcmSteps ?? maxSteps,
    assets: takesAssets ? assets.filter((asset) => kinds.includes(asset.kind) && mayFit(asset, family, bounds)) : [],
  }
}
