import type { CheckpointFamily, Prediction } from './checkpoint/checkpoint-family.ts'
import type { ModelFiles } from './checkpoint/model-files.ts'
import type { PartSizes } from './checkpoint/model-parts.ts'
import type { CacheType } from './gguf/context-length.ts'
import type { ImageServerFormat } from './images/image-servers.ts'
import type { Workflow } from './images/workflow.ts'
import type { ModelPrice } from './limits/model-price.ts'
import type { Sampler } from './sampler.ts'
import type { SamplingParameters } from './text-generation.ts'

/** A model the service can name; what its `model.json` says, checked and completed. */
export type ModelDescriptor = TextModelDescriptor | ImageModelDescriptor

interface DescriptorBase {
  /** The name in requests: lower-case letters, digits, `.`, `_`, `-`, `/`. */
  readonly id: string
  readonly name: string
  /** Absolute path of the model's folder, or of its only file where it has no folder of its own. */
  readonly folder: string
  readonly license: string | null
  /** What it is, in a sentence or two; absent = nobody said. */
  readonly description?: string
  /** Bytes of all files: the first guess of the memory it needs. */
  readonly bytes: number
  /** Unix seconds of the model file, for the models list. */
  readonly created: number
  /** What using it costs; absent = nothing. */
  readonly price?: ModelPrice
  /** Further names that requests may use; absent = none. */
  readonly aliases?: readonly string[]
  /** Answers requests that name it and is in no list; absent = it is listed. */
  readonly hidden?: true
}

export interface TextModelDescriptor extends DescriptorBase {
  readonly kind: 'text'
  readonly format: 'gguf' | TextServerFormat
  /** Absolute path of the GGUF file; of `model.json` where the model runs elsewhere. */
  readonly file: string
  /** Where the model runs when its format is `openai`. */
  readonly upstream?: UpstreamAddress
  /** Context size in tokens; null = the file's own, bounded by memory. */
  readonly contextLength: number | null
  /** Tokens that the file says the model was trained for; absent = unknown. */
  readonly trainedLength?: number
  /** How its keys and values are kept; absent = at 16 bits. */
  readonly cacheType?: CacheType
  /** Whether /v1/embeddings may use it. */
  readonly embeddings: boolean
  /** Whether it looks at pictures in messages; absent = it does not. */
  readonly vision?: boolean
  /** Absolute path of the mmproj file that it sees with; absent = it has none, or runs elsewhere. */
  readonly projector?: string
  /** Why it does not see although it has an mmproj file, as the end of a sentence; absent = it has none, or sees. */
  readonly blindness?: string
  /** Whether it makes text; absent = it does. Encoders only make embeddings, or score texts. */
  readonly generates?: boolean
  /** Whether it scores texts against a query; absent = it does not. */
  readonly ranks?: boolean
  /** What its file says of its weights; absent = it runs elsewhere. */
  readonly weights?: TextWeights
  /** How the next tokens are guessed so that one evaluation checks several; null = they are not. */
  readonly speculative: SpeculativeDecoding | null
  /** How its tokens are drawn where a request does not say; absent = as the interface says. */
  readonly defaults?: TextDefaults
}

/** The sampling that a model's description recommends. */
export type TextDefaults = Partial<Pick<SamplingParameters, 'temperature' | 'topP' | 'topK' | 'minP' | 'repetitionPenalty'>>

/** What the header of a language model's file says. */
export interface TextWeights {
  /** llama.cpp's name of it, such as `qwen3`. */
  readonly architecture: string
  readonly parameters: number
  /** How most weights are stored, such as `Q4_K`. */
  readonly quantization: string
  readonly layers: number
  /** Words of its vocabulary. */
  readonly vocabularySize: number
  /** Bytes of keys and values per token at 16 bits, all layers together. */
  readonly cacheBytesPerToken: number
}

/**
 * What guesses the next tokens: `prompt-lookup` says what followed the last words when they stood in the text before; a
 * `draft-model` is a smaller model with the same vocabulary.
 */
export type SpeculativeDecoding =
  | { readonly method: 'prompt-lookup' }
  /** `file`: absolute path of a GGUF file. */
  | { readonly method: 'draft-model'; readonly file: string }

/** A server that runs a model for us. */
export interface UpstreamAddress {
  /** Base address without a slash at its end, such as `http://gpu-1:8000/v1`. */
  readonly url: string
  /** The `name:password` that stands in its address in `model.json`; shown nowhere. Absent = none does. */
  readonly login?: string
  /** The model's name there. */
  readonly model: string
  /** Absolute path of a file that holds its access key, or null. */
  readonly keyFile: string | null
  /** Requests at once, on each server. */
  readonly slots: number
  /** Its share of the requests, beside those of the replicas; absent = 1. */
  readonly weight?: number
  /** Further servers that run the same model. */
  readonly replicas?: readonly ReplicaAddress[]
  /** Absent = no limits but the request's own. */
  readonly timeouts?: UpstreamTimeouts
}

/** One more server with the same model and the same key. */
export interface ReplicaAddress {
  readonly url: string
  /** As that of {@link UpstreamAddress}. */
  readonly login?: string
  /** Its share of the requests, 1 to 100. */
  readonly weight: number
}

/** All servers that run a model for us, the one that it names first. */
export function serversOf({
  url,
  login,
  weight = 1,
  replicas = [],
}: Pick<UpstreamAddress, 'url' | 'login' | 'weight' | 'replicas'>): readonly ReplicaAddress[] {
  return [{ url, weight, ...(login && { login }) }, ...replicas]
}

/** How long a server may take, in milliseconds. */
export interface UpstreamTimeouts {
  /** To accept a connection, TLS included. */
  readonly connectMs: number
  /** From a request to the first byte of its answer, behind the headers; of a picture until it is drawn. null = no limit but the request's own. */
  readonly firstMs: number | null
  /** Between two pieces of an answer. */
  readonly idleMs: number
}

/** Interfaces of servers that run language models. */
export const textServerFormats = ['openai', 'anthropic'] as const
export type TextServerFormat = (typeof textServerFormats)[number]

/** Whether a format is that of a server that runs language models. */
export function isTextServer(format: string | undefined): format is TextServerFormat {
  return textServerFormats.some((known) => known === format)
}

/** Sizes an image model accepts: a closed list, or any multiple of 8 within bounds. */
export type ImageSizes =
  | { readonly type: 'list'; readonly sizes: readonly { readonly width: number; readonly height: number }[] }
  | { readonly type: 'range'; readonly min: number; readonly max: number }

/** What an image model cannot do, as far as its files tell without loading it; the runtime refuses the rest. */
export interface ImageModelBounds {
  /** Largest clip skip; null = the files do not tell. */
  readonly clipSkip: number | null
  /** Most steps of the sampler LCM; null = the files do not tell. */
  readonly lcmSteps: number | null
  /** Samplers that cannot draw with the model, each with what the model has that they lack. */
  readonly refusedSamplers: Readonly<Partial<Record<Sampler, string>>>
  readonly startsFromImage: boolean
  /** Whether a seed draws the same picture again. */
  readonly takesSeeds: boolean
}

export interface ImageModelDescriptor extends DescriptorBase {
  readonly kind: 'image'
  readonly format: 'onnx-sdxl' | 'safetensors' | 'upscaler' | ImageServerFormat
  readonly native: { readonly width: number; readonly height: number }
  /** `native`: always drawn at the native size, then resized to what was asked; `requested`: drawn at the size asked. */
  readonly draws: 'native' | 'requested'
  readonly sizes: ImageSizes
  readonly defaults: { readonly steps: number; readonly guidanceScale: number; readonly sampler: Sampler }
  /** Folder of a refiner model, or null. */
  readonly refiner: string | null
  /** How timesteps are spaced, where the model wants another way than its scheduler config says (few-step models: `trailing`). */
  readonly timestepSpacing?: 'leading' | 'trailing' | 'linspace' | null
  /** Where it is drawn when its format is one of a server's. */
  readonly upstream?: UpstreamAddress
  /** There exactly when the format is `comfyui`. */
  readonly workflow?: Workflow
  /** Absent = nothing is known. */
  readonly bounds?: ImageModelBounds
  /** There exactly when the format is `safetensors`. */
  readonly checkpoint?: CheckpointFacts
  /** There exactly when the format is `upscaler`: it enlarges pictures and draws none. */
  readonly upscaler?: UpscalerFacts
}

/** What is known of a network that enlarges pictures. */
export interface UpscalerFacts {
  /** Absolute path of its file. */
  readonly weights: string
  /** How much larger its pictures are. */
  readonly scale: number
}

/** What is known of a checkpoint before it is loaded. */
export interface CheckpointFacts {
  readonly family: CheckpointFamily
  /** Whether it was made for inpainting and takes nothing else. */
  readonly inpainting: boolean
  /** Absolute path of its file, or of its folder in diffusers' layout. */
  readonly weights: string
  /** What its UNet predicts; null = what the file says, else noise. */
  readonly prediction: Prediction | null
  /** Whether only its name says what it predicts; absent = its file or model.json does, or nothing. */
  readonly guessed?: boolean
  /** What a model of several files takes from others; absent = nothing. */
  readonly files?: ModelFiles
  /** What its parts take, where they may come to memory in turn; absent = they stay together. */
  readonly parts?: PartSizes
}

/** The family of models that an image model belongs to. */
export function familyOf({ checkpoint }: Pick<ImageModelDescriptor, 'checkpoint'>): CheckpointFamily {
  return checkpoint?.family ?? 'sdxl'
}
