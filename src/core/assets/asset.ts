import type { CheckpointFamily, TransformerFamily } from '../checkpoint/checkpoint-family.ts'
import type { LoraPace } from '../checkpoint/lora-pace.ts'
import type { ModelPart, PartSlot } from '../checkpoint/model-parts.ts'
import type { TextWidths } from '../checkpoint/text-widths.ts'
import type { ImageModelDescriptor } from '../model.ts'

/** Kinds of assets for image requests, besides models. */
export const assetKinds = ['lora', 'textual-inversion', 'vae', 'controlnet'] as const
export type ImageAssetKind = (typeof assetKinds)[number]
/** `adapter`: a LoRA for language models. */
export type AssetKind = ImageAssetKind | 'adapter'

/** A weights file that requests can name, described by its header. */
export interface AssetDescriptor {
  readonly kind: AssetKind
  /** File name without extension. */
  readonly name: string
  /** Absolute path. */
  readonly file: string
  /** Compatible model family; null = unknown or several, so that the engine checks it. */
  readonly family: CheckpointFamily | null
  /** Compatible families of a LoRA for transformers; absent = unknown, or `family` is the only one. */
  readonly families?: readonly CheckpointFamily[]
  /** Whether a LoRA contains a textual inversion; absent = it does not. */
  readonly embeds?: true
  /** Width of the transformers that a LoRA fits; absent = unknown. */
  readonly width?: number
  /** Widths of the vectors of a textual inversion, or of those inside a LoRA; absent = unknown or none. */
  readonly textWidths?: TextWidths
  /** Architecture of compatible language models as named by llama.cpp; absent = not an adapter. */
  readonly architecture?: string
  /** Steps, guidance and sampler for a few-step LoRA; absent = an ordinary file. */
  readonly pace?: LoraPace
  readonly bytes: number
  /** Unix seconds. */
  readonly created: number
}

/** An unsupported file; the reason completes a sentence that begins with its name. */
export interface UnusableFile {
  readonly name: string
  readonly file: string
  readonly reason: string
}

/** Result of examining a weights file; reasons complete a sentence that begins with the file's name. */
export type ExaminedWeights =
  | { readonly kind: 'checkpoint'; readonly descriptor: ImageModelDescriptor }
  /** A transformer whose other components are in separate files. */
  | {
      readonly kind: 'transformer'
      readonly family: TransformerFamily
      readonly descriptor: ImageModelDescriptor
      readonly lacks: readonly PartSlot[]
    }
  /** A component of such models; `width` is that of a text encoder's hidden states, or the number of a VAE's channels. */
  | {
      readonly kind: 'part'
      readonly part: ModelPart
      readonly width: number | null
      readonly layers?: number
      readonly encodes?: boolean
      readonly bytes: number
    }
  | { readonly kind: 'asset'; readonly descriptor: AssetDescriptor }
  /** A network that enlarges pictures. */
  | { readonly kind: 'upscaler'; readonly descriptor: ImageModelDescriptor }
  /** A valid file that Sepia cannot run. */
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'faulty'; readonly reason: string }
