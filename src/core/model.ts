import type { CheckpointFamily, Prediction } from './checkpoint/checkpoint-family.ts'
import type { ModelFiles } from './checkpoint/model-files.ts'
import type { PartSizes } from './checkpoint/model-parts.ts'
import type { TextWidths } from './checkpoint/text-widths.ts'
import type { CacheType } from './gguf/context-length.ts'
import type { ImageServerFormat } from './images/image-servers.ts'
import type { Workflow } from './images/workflow.ts'
import type { ModelPrice } from './limits/model-price.ts'
import type { Sampler } from './sampler.ts'
import type { SamplingParameters } from './text-generation.ts'

/** A model known to the service: its `model.json`, checked and completed. */
export type ModelDescriptor = TextModelDescriptor | ImageModelDescriptor

interface DescriptorBase {
  /** Name in requests: lower-case letters, digits, `.`, `_`, `-`, `/`. */
  readonly id: string
  readonly name: string
  /** Absolute path of the model's folder, or of its only file if it has no folder. */
  readonly folder: string
  readonly license: string | null
  /** One or two sentences about the model; absent = none. */
  readonly description?: string
  /** Total size of its files; the first estimate of its memory. */
  readonly bytes: number
  /** Modification time of the model file in Unix seconds, for the models list. */
  readonly created: number
  /** Price of use; absent = free. */
  readonly price?: ModelPrice
  /** Alternative names for requests; absent = none. */
  readonly aliases?: readonly string[]
  /** Usable by name but not listed; absent = listed. */
  readonly hidden?: true
}

export interface TextModelDescriptor extends DescriptorBase {
  readonly kind: 'text'
  readonly format: 'gguf' | TextServerFormat
  /** Absolute path of the GGUF file; of `model.json` if the model runs elsewhere. */
  readonly file: string
  /** The servers, if the format is that of a server. */
  readonly upstream?: UpstreamAddress
  /** Context size in tokens; null = the size in the file, limited by memory. */
  readonly contextLength: number | null
  /** Context size the model was trained for, in tokens; absent = unknown. */
  readonly trainedLength?: number
  /** Storage type of keys and values; absent = 16 bits. */
  readonly cacheType?: CacheType
  /** Whether /v1/embeddings accepts it. */
  readonly embeddings: boolean
  /** Whether it accepts pictures in messages; absent = it does not. */
  readonly vision?: boolean
  /** Absolute path of its mmproj file; absent = none, or it runs elsewhere. */
  readonly projector?: string
  /** Why its mmproj file cannot be used, as the end of a sentence; absent = no such fault. */
  readonly blindness?: string
  /** Whether it generates text; absent = it does. Encoders only embed or rank texts. */
  readonly generates?: boolean
  /** Whether it scores texts against a query; absent = it does not. */
  readonly ranks?: boolean
  /** Properties of its weights; absent = it runs elsewhere. */
  readonly weights?: TextWeights | undefined
  /** Speculative decoding; null = off. */
  readonly speculative: SpeculativeDecoding | null
  /** Sampling defaults for fields a request leaves out; absent = those of the interface. */
  readonly defaults?: TextDefaults
}

/** The sampling that a model's description recommends. */
export type TextDefaults = Partial<Pick<SamplingParameters, 'temperature' | 'topP' | 'topK' | 'minP' | 'repetitionPenalty'>>

/** Properties from the header of a language model's file. */
export interface TextWeights {
  /** Architecture as named by llama.cpp, such as `qwen3`. */
  readonly architecture: string
  readonly parameters: number
  /** Storage type of most weights, such as `Q4_K`. */
  readonly quantization: string
  readonly layers: number
  /** Number of tokens in the vocabulary. */
  readonly vocabularySize: number
  /** Bytes of keys and values per token at 16 bits, all layers together. */
  readonly cacheBytesPerToken: number
}

/**
 * Source of guessed tokens: `prompt-lookup` repeats what followed the same words earlier in the text; `draft-model` is a smaller model with
 * the same vocabulary.
 */
/** What says where a model lies: its folder, and its own file where it is one. */
export interface PlacedModel {
  /** Absolute path. */
  readonly folder: string
  /** Absolute path. */
  readonly file?: string
}

export type SpeculativeDecoding =
  | { readonly method: 'prompt-lookup' }
  /** `file`: absolute path of a GGUF file. */
  | { readonly method: 'draft-model'; readonly file: string }

/** A remote server that runs a model. */
export interface UpstreamAddress {
  /** Base URL without a trailing slash, such as `http://gpu-1:8000/v1`. */
  readonly url: string
  /** `name:password` from the URL in `model.json`, never shown; absent = none. */
  readonly login?: string | undefined
  /** Name of the model on the server. */
  readonly model: string
  /** Absolute path of a file with the server's access key, or null. */
  readonly keyFile: string | null
  /** Concurrent requests per server. */
  readonly slots: number
  /** Share of the requests relative to the replicas; absent = 1. */
  readonly weight?: number
  /** Additional servers with the same model. */
  readonly replicas?: readonly ReplicaAddress[]
  /** Absent = only the request's own limits apply. */
  readonly timeouts?: UpstreamTimeouts
}

/** An additional server with the same model and access key. */
export interface ReplicaAddress {
  readonly url: string
  /** See {@link UpstreamAddress.login}. */
  readonly login?: string | undefined
  /** Share of the requests, 1 to 100. */
  readonly weight: number
}

/** All servers of a model, the primary one first. */
export function serversOf({
  url,
  login,
  weight = 1,
  replicas = [],
}: Pick<UpstreamAddress, 'url' | 'login' | 'weight' | 'replicas'>): readonly ReplicaAddress[] {
  return [{ url, weight, login }, ...replicas]
}

/** Time limits of a server, in milliseconds. */
export interface UpstreamTimeouts {
  /** For connecting, including TLS. */
  readonly connectMs: number
  /**
   * From sending a request to the first byte of the response body; for an image, until it is complete. null = only the request's own limit.
   */
  readonly firstMs: number | null
  /** Between two chunks of a response. */
  readonly idleMs: number
}

/** APIs of servers that run language models. */
export const textServerFormats = ['openai', 'anthropic'] as const
export type TextServerFormat = (typeof textServerFormats)[number]

/** Whether a format is the API of a language model server. */
export function isTextServer(format: string | undefined): format is TextServerFormat {
  return textServerFormats.some((known) => known === format)
}

/** Sizes supported by an image model: a fixed list, or any multiple of 8 within bounds. */
export type ImageSizes =
  | { readonly type: 'list'; readonly sizes: readonly { readonly width: number; readonly height: number }[] }
  | { readonly type: 'range'; readonly min: number; readonly max: number }

/** Limits of an image model that are known before it is loaded; the runtime checks the rest. */
export interface ImageModelBounds {
  /** Maximum clip skip; null = unknown. */
  readonly clipSkip: number | null
  /** Maximum steps of the sampler LCM; null = unknown. */
  readonly lcmSteps: number | null
  /** Unsupported samplers, each with the property of the model that they cannot handle. */
  readonly refusedSamplers: Readonly<Partial<Record<Sampler, string>>>
  readonly startsFromImage: boolean
  /** Whether the same seed gives the same picture. */
  readonly takesSeeds: boolean
  /** Longest side of a picture in pixels that its table of positions covers; absent = no such limit. */
  readonly maxSide?: number
  /** Blocks that skip-layer guidance can leave out; absent = unknown. */
  readonly blocks?: number
  /** Width of a transformer; absent = unknown. */
  readonly width?: number
  /** Widths of a UNet's text encoders; absent = unknown. */
  readonly textWidths?: TextWidths
}

export interface ImageModelDescriptor extends DescriptorBase {
  readonly kind: 'image'
  readonly format: 'onnx-sdxl' | 'safetensors' | 'upscaler' | ImageServerFormat
  readonly native: { readonly width: number; readonly height: number }
  /** `native`: drawn at the native size, then resized to the requested one; `requested`: drawn at the requested size. */
  readonly draws: 'native' | 'requested'
  readonly sizes: ImageSizes
  readonly defaults: { readonly steps: number; readonly guidanceScale: number; readonly sampler: Sampler }
  /** Folder of the refiner model, or null. */
  readonly refiner: string | null
  /** Overrides the timestep spacing of the scheduler config (few-step models: `trailing`). */
  readonly timestepSpacing?: 'leading' | 'trailing' | 'linspace' | null
  /** The servers, if the format is that of a server. */
  readonly upstream?: UpstreamAddress
  /** Present exactly if the format is `comfyui`. */
  readonly workflow?: Workflow
  /** Absent = unknown. */
  readonly bounds?: ImageModelBounds | undefined
  /** Present exactly if the format is `safetensors`. */
  readonly checkpoint?: CheckpointFacts
  /** Present exactly if the format is `upscaler`: the model enlarges pictures and draws none. */
  readonly upscaler?: UpscalerFacts
}

/** Properties of an upscaler. */
export interface UpscalerFacts {
  /** Absolute path of its file. */
  readonly weights: string
  /** Factor of enlargement per side. */
  readonly scale: number
}

/** Properties of a checkpoint that are known before it is loaded. */
export interface CheckpointFacts {
  readonly family: CheckpointFamily
  /** Whether it is an inpainting checkpoint, which requires a mask. */
  readonly inpainting: boolean
  /** Absolute path of its file, or of its folder in diffusers' layout. */
  readonly weights: string
  /** Prediction type of its UNet; null = from the file, by default noise. */
  readonly prediction: Prediction | null
  /** Whether the prediction type comes from the file's name only; absent = it does not. */
  readonly guessed?: boolean
  /** Components in other files; absent = none. */
  readonly files?: ModelFiles
  /** Sizes of its components if they can be loaded in turn; absent = they stay loaded together. */
  readonly parts?: PartSizes
}

/** The family of an image model. */
export function familyOf({ checkpoint }: Pick<ImageModelDescriptor, 'checkpoint'>): CheckpointFamily {
  return checkpoint?.family ?? 'sdxl'
}
