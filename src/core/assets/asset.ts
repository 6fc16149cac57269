import type { CheckpointFamily, TransformerFamily } from '../checkpoint/checkpoint-family.ts'
import type { LoraPace } from '../checkpoint/lora-pace.ts'
import type { ModelPart, PartSlot } from '../checkpoint/model-parts.ts'
import type { ImageModelDescriptor } from '../model.ts'

/** What requests for pictures may name besides models. */
export const assetKinds = ['lora', 'textual-inversion', 'vae', 'controlnet'] as const
export type ImageAssetKind = (typeof assetKinds)[number]
/** `adapter`: a LoRA for language models. */
export type AssetKind = ImageAssetKind | 'adapter'

/** A file of weights that requests may name: what its header says. */
export interface AssetDescriptor {
  readonly kind: AssetKind
  /** Its file's name without extension. */
  readonly name: string
  /** Absolute path. */
  readonly file: string
  /** The models it fits; null = unknown, and the engine refuses what does not fit. */
  readonly family: CheckpointFamily | null
  /** Architecture of the language models that an adapter fits, in llama.cpp's words; absent = it is no adapter. */
  readonly architecture?: string
  /** What a LoRA for few steps stands in for; absent = it is none. */
  readonly pace?: LoraPace
  readonly bytes: number
  /** Unix seconds. */
  readonly created: number
}

/** A file whose name requests may use but which nothing here can run, with the reason as the end of a sentence that begins with its name. */
export interface UnusableFile {
  readonly name: string
  readonly file: string
  readonly reason: string
}

/** What the header of a file of weights says; reasons complete a sentence that begins with the file's name. */
export type ExaminedWeights =
  | { readonly kind: 'checkpoint'; readonly descriptor: ImageModelDescriptor }
  /** A transformer that lacks parts, which lie in other files. */
  | {
      readonly kind: 'transformer'
      readonly family: TransformerFamily
      readonly descriptor: ImageModelDescriptor
      readonly lacks: readonly PartSlot[]
    }
  /** A part of such models; `width` of a text encoder's hidden states, or channels of a VAE. */
  | { readonly kind: 'part'; readonly part: ModelPart; readonly width: number | null; readonly bytes: number }
  | { readonly kind: 'asset'; readonly descriptor: AssetDescriptor }
  /** Enlarges pictures. */
  | { readonly kind: 'upscaler'; readonly descriptor: ImageModelDescriptor }
  /** Sound, but nothing here can run it. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'faulty'; readonly reason: string }
