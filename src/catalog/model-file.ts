import type { CacheType } from '../core/gguf/context-length.ts'
import type { ImageServerFormat } from '../core/images/image-servers.ts'
import type { TextServerFormat } from '../core/model.ts'
import type { Sampler } from '../core/sampler.ts'
import type { AddressFields, TextServerFields, TimeoutFields } from './describe/servers.ts'

/** Size and hex SHA-256 of a file. */
export interface ListedFile {
  readonly bytes: number
  readonly sha256: string
}

/** Placeholder for an unknown SHA-256, replaced after the download. */
export const unknownSum = '0'.repeat(64)

interface ModelFileBase {
  readonly id: string
  readonly name?: string
  readonly license?: string
  readonly description?: string
  /** Per million prompt and answer tokens, and per picture. */
  readonly price?: { readonly prompt?: number; readonly completion?: number; readonly image?: number }
  readonly hidden?: boolean
  readonly aliases?: readonly string[]
  /** By path relative to the model's folder. */
  readonly files?: Readonly<Record<string, ListedFile>>
}

interface TextModelFile extends ModelFileBase {
  readonly kind: 'text'
  readonly contextLength?: number
  readonly embeddings?: boolean
  readonly defaults?: {
    readonly temperature?: number
    readonly top_p?: number
    readonly top_k?: number
    readonly min_p?: number
    readonly repetition_penalty?: number
  }
}

interface GgufModelFile extends TextModelFile {
  readonly format: 'gguf'
  readonly file: string
  readonly projector?: string
  readonly cacheType?: CacheType
  readonly speculative?: string
}

interface UpstreamModelFile extends TextModelFile, TextServerFields {
  readonly format: TextServerFormat
  readonly vision?: boolean
  readonly ranks?: boolean
}

interface Size {
  readonly width: number
  readonly height: number
}

interface ImageModelFile extends ModelFileBase {
  readonly kind: 'image'
  readonly draws?: 'native' | 'requested'
  readonly sizes?: readonly Size[] | { readonly min: number; readonly max: number }
  readonly defaults?: { readonly steps?: number; readonly cfg_scale?: number; readonly sampler?: Sampler }
  readonly refiner?: string
  readonly timestepSpacing?: 'leading' | 'trailing' | 'linspace'
}

interface OnnxModelFile extends ImageModelFile {
  readonly format: 'onnx-sdxl'
  readonly native: Size
}

interface CheckpointModelFile extends ImageModelFile {
  readonly format: 'safetensors'
  readonly file?: string
  readonly native?: Partial<Size>
  readonly prediction?: 'epsilon' | 'v_prediction'
}

interface ImageServerFile extends ImageModelFile, AddressFields {
  readonly format: ImageServerFormat
  readonly native?: Partial<Size>
  readonly workflow?: string
  readonly timeouts?: TimeoutFields
}

/** Fields of a `model.json` that identify the model and its files; invalid ones are left out. */
export interface ModelReferences {
  readonly id?: string
  readonly format?: ModelFile['format']
  readonly file?: string
  readonly projector?: string
  readonly speculative?: string
  readonly keyFile?: string
  readonly workflow?: string
  readonly refiner?: string
  readonly files?: Readonly<Record<string, ListedFile>>
}

/** The content of a `model.json`. */
export type ModelFile = GgufModelFile | UpstreamModelFile | OnnxModelFile | CheckpointModelFile | ImageServerFile
